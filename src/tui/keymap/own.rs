//! Commands of the user's own with their keys, and everything that is wrong with these.

use super::table::BINDINGS;
use crate::config::document::problem::Problem;
use crate::config::sections::commands::WrittenCommand;
use crate::model::sweep::own_command::OwnCommand;
use crate::tui::model::keys::chosen::Keymap;
use crate::tui::model::keys::key::{InvalidKey, Key};
use crate::tui::model::keys::keyed::{CommandOrigin, KeyedCommand};

/// Returns the commands with those of their keys that the actions of the dashboard leave free.
pub fn assign_keys(
    written: &[WrittenCommand],
    keymap: &Keymap,
    origin: CommandOrigin,
) -> (Vec<KeyedCommand>, Vec<Problem>) {
    let mut commands: Vec<KeyedCommand> = Vec::new();
    let mut problems = Vec::new();
    for WrittenCommand { command, key } in written {
        let free = key.as_ref().and_then(|word| {
            let problem =
                |message: String, hint: String| Problem::new(word.span.clone(), message).with_hint(hint);
            match free_key(&word.text, command, keymap, &commands) {
                Ok(key) => Some(key),
                Err(InvalidKey { message, hint }) => {
                    problems.push(problem(message, hint));
                    None
                }
            }
        });
        commands.push(KeyedCommand { command: command.clone(), key: free, origin });
    }
    (commands, problems)
}

/// The commands of a plan after those of the user, who has the first choice of keys: a key that is taken here
/// only leaves the command to the palette.
pub fn with_sweep(mut users: Vec<KeyedCommand>, sweep: &[OwnCommand], keymap: &Keymap) -> Vec<KeyedCommand> {
    for command in sweep {
        let word = command.key.as_deref();
        let key = word.and_then(|word| free_key(word, command, keymap, &users).ok());
        users.push(KeyedCommand { command: command.clone(), key, origin: CommandOrigin::Sweep });
    }
    users
}

fn free_key(
    word: &str,
    command: &OwnCommand,
    keymap: &Keymap,
    others: &[KeyedCommand],
) -> Result<Key, InvalidKey> {
    let key: Key = word.parse()?;
    let taken = |owner: String, hint: String| {
        let message = format!(
            "in the dashboard `{key}` is the key of {owner}, and cannot be that of `{}` too",
            command.name
        );
        Err(InvalidKey { message, hint })
    };
    let built_in = BINDINGS.iter().find(|binding| binding.keys(keymap).contains(&key));
    if let Some(binding) = built_in {
        let name = binding.name;
        let hint = format!(
            "take another, such as `f2`, or give `{name}` another in the settings: [keys] {name} = …"
        );
        return taken(format!("`{name}`"), hint);
    }
    match others.iter().find(|other| other.key == Some(key)) {
        Some(other) => {
            taken(format!("the command `{}`", other.command.name), "take another for one of them".to_owned())
        }
        None => Ok(key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::settings::read_settings;
    use crate::tui::keymap::choosing;

    /// The keys of commands in these settings, and what is wrong.
    fn chosen(source: &str) -> (Vec<String>, Vec<String>) {
        let (settings, problems) = read_settings(source);
        assert_eq!(problems, []);
        let (keymap, problems) = choosing::build_keymap(&settings.keys);
        assert_eq!(problems, []);
        let (commands, problems) = assign_keys(&settings.commands, &keymap, CommandOrigin::Settings);
        let keys = commands.iter().map(|own| own.key.map_or_else(String::new, |key| key.to_string()));
        let told = problems.into_iter().map(|problem| {
            format!("{}: {}; {}", &source[problem.span], problem.message, problem.hint.unwrap_or_default())
        });
        (keys.collect(), told.collect())
    }

    #[test]
    fn a_key_that_is_free_is_taken_and_one_that_is_not_is_told() {
        let (keys, told) = chosen(
            "[commands]\na = { key = \"f2\", command = \"a\" }\nb = { key = \"x\", command = \"b\" }\n\
             c = { key = \"F2\", command = \"c\" }\nd = { key = \"hyper\", command = \"d\" }\ne = { command = \"e\" }\n",
        );
        assert_eq!(keys, ["F2", "", "", "", ""]);
        assert_eq!(told.len(), 3, "{told:?}");
        assert!(told[0].starts_with(
            "\"x\": in the dashboard `x` is the key of `kill`, and cannot be that of `b` too; take another, such as `f2`"
        ), "{told:?}");
        assert!(
            told[1].contains("`F2` is the key of the command `a`, and cannot be that of `c` too"),
            "{told:?}"
        );
        assert!(told[2].contains("there is no key `hyper`"), "{told:?}");
    }

    #[test]
    fn a_key_that_the_user_took_from_an_action_is_free() {
        let (keys, told) = chosen("[keys]\nkill = \"B\"\n[commands]\na = { key = \"x\", command = \"a\" }\n");
        assert_eq!((keys, told), (vec!["x".to_owned()], Vec::new()));
    }

    #[test]
    fn the_users_commands_come_before_those_of_the_sweep() {
        let own = |name: &str| OwnCommand {
            name: name.to_owned(),
            key: Some("f2".to_owned()),
            command: crate::model::sweep::command_template::CommandTemplate::Shell("true".to_owned()),
            mode: crate::model::sweep::own_command::CommandMode::Foreground,
            confirm: false,
        };
        let written = WrittenCommand { command: own("mine"), key: None };
        let (mut users, _) = assign_keys(&[written], &Keymap::default(), CommandOrigin::Settings);
        users[0].key = "f2".parse().ok();
        let all = with_sweep(users, &[own("theirs")], &Keymap::default());
        let keys: Vec<bool> = all.iter().map(|own| own.key.is_some()).collect();
        assert_eq!(keys, [true, false], "the palette still has the second");
    }
}
