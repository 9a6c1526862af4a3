//! Takes out of a text what does not belong into a bug report: secrets, and the names of user and machine.

use std::sync::LazyLock;

use regex::{Captures, Regex};

/// `--api-key abc`, `TOKEN=abc`, `Authorization: Bearer abc`, `"password": "abc"`.
static NAMED_SECRET: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?i)([\w-]*(?:token|secret|passw(?:or)?d|passphrase|credential|api[_-]?key|access[_-]?key|authorization|cookie)[\w-]*["']?(?:\s*[=:]\s*|\s+)(?:bearer\s+|basic\s+)?)("[^"]*"|'[^']*'|[^\s,;"']+)"#,
    )
    .expect("the pattern is sound")
});

/// `https://user:password@host` and the query of an address.
static SECRET_OF_ADDRESS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(://)[^/\s@]+@|(https?://[^\s?]+)\?\S+").expect("the pattern is sound"));

/// Keys of services that are known by how they begin.
static KNOWN_KEY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(?:hf_|sk-|ghp_|gho_|github_pat_|glpat-|xox[abp]-|AKIA|wandb_v1_)[\w-]{8,}")
        .expect("the pattern is sound")
});

/// Stands for what was taken out.
const LEFT_OUT: &str = "[left out]";

/// Names that would tell who and where.
#[derive(Debug, Clone, Default)]
pub struct PrivateNames {
    /// The home folder.
    pub home: Option<String>,
    /// The name of the user.
    pub user: Option<String>,
    /// The name of the machine.
    pub host: Option<String>,
}

/// Returns the text without secrets and private names.
pub fn redact(text: &str, names: &PrivateNames) -> String {
    let text = NAMED_SECRET.replace_all(text, |found: &Captures<'_>| format!("{}{LEFT_OUT}", &found[1]));
    let text = SECRET_OF_ADDRESS.replace_all(&text, |found: &Captures<'_>| match found.get(2) {
        Some(address) => format!("{}?{LEFT_OUT}", address.as_str()),
        None => format!("://{LEFT_OUT}@"),
    });
    let mut text = KNOWN_KEY.replace_all(&text, LEFT_OUT).into_owned();
    // "/" is the home of some users of containers.
    if let Some(home) = names.home.as_ref().filter(|home| home.len() > 1) {
        text = text.replace(home.as_str(), "~");
    }
    for (name, stand_in) in [(&names.host, "HOST"), (&names.user, "USER")] {
        // "root" says nothing of a person.
        if let Some(name) = name.as_ref().filter(|name| !name.is_empty() && *name != "root") {
            let whole = Regex::new(&format!(r"\b{}\b", regex::escape(name)));
            text = whole.map_or(text.clone(), |whole| whole.replace_all(&text, stand_in).into_owned());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redacted(text: &str) -> String {
        let names = PrivateNames {
            home: Some("/home/mara".to_owned()),
            user: Some("mara".to_owned()),
            host: Some("gpu-7".to_owned()),
        };
        redact(text, &names)
    }

    #[test]
    fn secrets_are_left_out_however_they_are_written() {
        for text in [
            "WANDB_API_KEY=0123abcd",
            "python eval.py --api-key 0123abcd --episodes 3",
            "Authorization: Bearer 0123abcd",
            "{\"password\": \"0123abcd\"}",
            "login with hf_0123abcd4567",
            "git clone https://me:0123abcd@example.org/x",
            "curl https://example.org/hook?key=0123abcd",
        ] {
            let shown = redacted(text);
            assert!(!shown.contains("0123abcd") && shown.contains(LEFT_OUT), "{text} became {shown}");
        }
        assert!(redacted("python eval.py --api-key x --episodes 3").ends_with("--episodes 3"));
    }

    #[test]
    fn user_machine_and_home_are_not_named() {
        let shown = redacted("/home/mara/IsaacLab on gpu-7 by mara; samara stays");
        assert_eq!(shown, "~/IsaacLab on HOST by USER; samara stays");
    }

    #[test]
    fn plain_lines_stay_as_they_are() {
        let text = "warning  inotify  128 of 128 instances in use, see http://localhost:8080/a";
        assert_eq!(redacted(text), text);
        assert_eq!(
            redact(
                "root at /",
                &PrivateNames { home: Some("/".to_owned()), user: Some("root".to_owned()), host: None }
            ),
            "root at /"
        );
    }
}
