//! Which variables of the host Gemini CLI takes for secrets (section 3.5; names and forms of the agent's own tables).

use super::super::redaction::{Patterns, Redaction};

pub(super) static RULE: Redaction = Redaction {
    // On GitHub's machines only what is known to be harmless passes.
    strict: &[("GITHUB_SHA", None), ("SURFACE", Some("Github"))],
    passes: &[
        "PATH",
        "HOME",
        "LANG",
        "SHELL",
        "TMPDIR",
        "USER",
        "LOGNAME", // Unix
        "SYSTEMROOT",
        "COMSPEC",
        "PATHEXT",
        "WINDIR",
        "TEMP",
        "TMP",
        "USERPROFILE",
        "SYSTEMDRIVE", // Windows
        "ADDITIONAL_CONTEXT",
        "AVAILABLE_LABELS",
        "BRANCH_NAME",
        "DESCRIPTION",
        "EVENT_NAME",
        "GITHUB_ENV",
        "IS_PULL_REQUEST",
        "ISSUES_TO_TRIAGE",
        "ISSUE_BODY",
        "ISSUE_NUMBER",
        "ISSUE_TITLE",
        "PULL_REQUEST_NUMBER",
        "REPOSITORY",
        "TITLE",
        "TRIGGERING_ACTOR",
    ],
    passing_prefix: "GEMINI_CLI_",
    secrets: &[
        "CLIENT_ID",
        "DB_URI",
        "CONNECTION_STRING",
        "AWS_DEFAULT_REGION",
        "AZURE_CLIENT_ID",
        "AZURE_TENANT_ID",
        "SLACK_WEBHOOK_URL",
        "TWILIO_ACCOUNT_SID",
        "DATABASE_URL",
        "GOOGLE_CLOUD_PROJECT",
        "GOOGLE_CLOUD_ACCOUNT",
        "FIREBASE_PROJECT_ID",
    ],
    secret_parts: &[
        "TOKEN",
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "KEY",
        "AUTH",
        "CREDENTIAL",
        "CREDS",
        "PRIVATE",
        "CERT",
    ],
    secret_values: Patterns::new(&[
        // Keys and certificates, and a URL with a password in it.
        "-----BEGIN (?:(?:RSA|OPENSSH|EC|PGP) PRIVATE KEY|CERTIFICATE)-----",
        "(?:https?|ftp|smtp)://[^:]+:[^@]+@",
        // Tokens by the forms that GitHub, Google, Amazon, Stripe and Slack give them, and JSON web tokens.
        "(?:gh[pousr]|github_pat)_[a-z0-9_]{36}",
        r"aizasy[a-z0-9_\\-]{33}",
        "akia[a-z0-9]{16}",
        "[sr]k_(?:live|test)_[0-9a-z]{24}",
        "xox[abpr]-[a-z0-9-]+",
        r"eyj[a-z0-9_-]*\.[a-z0-9_-]*\.[a-z0-9_-]*",
    ]),
};
