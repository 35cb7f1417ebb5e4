//! Versions of the agents: what an older one does not have, or does otherwise.

use std::fmt;

/// A version of an agent, as `major.minor.patch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version([u32; 3]);

impl Version {
    /// The newest one that is documented; the default.
    pub(crate) const NEWEST: Self = Self([u32::MAX; 3]);

    pub(crate) const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self([major, minor, patch])
    }

    /// Its form in a recording; `None` is the newest.
    pub(crate) fn recorded(self) -> Option<String> {
        (self != Self::NEWEST).then(|| self.to_string())
    }

    /// Reads `2.1.240`; a leading `v` and whatever follows a `-` or `+` do not count, missing parts are zero.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_prefix('v').unwrap_or(text);
        let text = text.split(['-', '+']).next().unwrap_or(text);
        let mut parts = [0; 3];
        for (index, part) in text.split('.').enumerate() {
            *parts.get_mut(index)? = part.parse().ok()?;
        }
        Some(Self(parts))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.0;
        write!(f, "{major}.{minor}.{patch}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_and_compared_by_number() {
        assert_eq!(Version::parse("v2.1.240"), Some(Version::new(2, 1, 240)));
        assert_eq!(Version::parse("0.12.0-nightly.3"), Some(Version::new(0, 12, 0)));
        assert_eq!(Version::parse("2.1"), Some(Version::new(2, 1, 0)));
        for text in ["", "latest", "2.x", "1.2.3.4", "2..1"] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
        assert!(Version::new(2, 1, 9) < Version::new(2, 1, 10));
        assert!(Version::new(2, 1, 10) < Version::NEWEST);
    }
}
