//! Where settings come from.

/// The scope of a settings source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Defaults an administrator lays under everything.
    SystemDefaults,
    /// The machine's settings.
    System,
    /// What an organisation enforces.
    Managed,
    /// The user's own settings.
    User,
    /// The project's settings, usually in its repository.
    Project,
    /// The user's own settings for this project.
    Local,
    /// Registered by the host at run time.
    Session,
    /// A plugin or extension.
    Extension,
    /// The frontmatter of an agent, while its scope is open.
    Agent,
    /// The frontmatter of a skill, while its scope is open.
    Skill,
}

impl Scope {
    /// Every scope that a settings source can have. Those of frontmatter are opened and closed by the host.
    pub const ALL: [Self; 8] = [
        Self::SystemDefaults,
        Self::System,
        Self::Managed,
        Self::User,
        Self::Project,
        Self::Local,
        Self::Session,
        Self::Extension,
    ];

    /// The order of sources where a dialect names none (design, ruling 5).
    pub(crate) const USUAL_ORDER: &'static [Self] = &[
        Self::SystemDefaults,
        Self::System,
        Self::Managed,
        Self::User,
        Self::Project,
        Self::Local,
        Self::Extension,
        Self::Session,
        Self::Agent,
        Self::Skill,
    ];

    /// The name in options, on the command line and in an origin.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SystemDefaults => "system_defaults",
            Self::System => "system",
            Self::Managed => "managed",
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
            Self::Session => "session",
            Self::Extension => "extension",
            Self::Agent => "agent",
            Self::Skill => "skill",
        }
    }

    /// The scope with this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == name)
    }

    /// The names of all scopes a source can have, for messages.
    #[must_use]
    pub fn names() -> String {
        Self::ALL.map(Self::as_str).join(", ")
    }

    /// Whether only the user, or whoever runs the machine, controls it.
    pub(crate) fn is_above_projects(self) -> bool {
        matches!(self, Self::SystemDefaults | Self::System | Self::Managed | Self::User)
    }

    /// Whether an organisation controls it.
    pub(crate) fn is_managed(self) -> bool {
        matches!(self, Self::SystemDefaults | Self::System | Self::Managed)
    }

    /// Whether whoever controls the project's files controls it (design, ruling 8).
    pub(crate) fn needs_trust(self) -> bool {
        matches!(self, Self::Project | Self::Local)
    }
}
