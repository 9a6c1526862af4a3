//! Tests of the user's own commands, and of the errors that mistakes in them lead to.

use std::path::Path;

use super::*;
use crate::config::settings;

fn row() -> RowValues {
    RowValues {
        id: Some(ShardId::new("stairs_flat").expect("a good name")),
        run_dir: PathBuf::from("/runs/my run"),
        attempt: Some(AttemptValues {
            number: AttemptNumber(2),
            out: PathBuf::from("/runs/my run/out"),
            log: PathBuf::from("/runs/my run/$(reboot).log"),
            gpus: vec![GpuIndex(0), GpuIndex(3)],
        }),
        pid: Some(4321),
    }
}

fn read_text(source: &str) -> (Vec<OwnCommand>, Vec<String>) {
    let (settings, problems) = settings::read_settings(source);
    let told = problems.into_iter().map(|problem| {
        let place = &source[problem.span];
        format!("{place}: {} ({})", problem.message, problem.hint.unwrap_or_default())
    });
    (settings.commands.into_iter().map(|written| written.command).collect(), told.collect())
}

#[test]
fn a_command_has_a_key_a_template_and_a_mode() {
    let (commands, told) = read_text(
        "[commands]\nnvtop = { key = \"f2\", command = \"nvtop\" }\n\
         [commands.copy]\ncommand = [\"cp\", \"-r\", \"{{ out }}\", \"/tmp/{{ id }}\"]\nmode = \"background\"\nconfirm = true\n",
    );
    assert_eq!(told, [""; 0]);
    assert_eq!(commands.len(), 2);
    assert_eq!((commands[0].key.as_deref(), commands[0].mode), (Some("f2"), CommandMode::Foreground));
    assert_eq!((commands[1].key.as_deref(), commands[1].mode), (None, CommandMode::Background));
    assert!(commands[1].confirm && !commands[0].confirm);
    assert_eq!(render_argv(&commands[0], &row()), Ok(["bash", "-c", "nvtop"].map(str::to_owned).to_vec()));
    let copy = ["cp", "-r", "/runs/my run/out", "/tmp/stairs_flat"].map(str::to_owned).to_vec();
    assert_eq!(render_argv(&commands[1], &row()), Ok(copy), "no shell, no quotes");
}

#[test]
fn values_are_quoted_for_the_shell() {
    let (commands, told) = read_text(
        "[commands]\nlook.command = 'less {{ log }} \"{{ run_dir }}/x\"; py-spy dump --pid {{ pid }} # {{ gpus }} {{ attempt }}'\n",
    );
    assert_eq!(told, [""; 0]);
    let line = render_argv(&commands[0], &row()).expect("it renders").remove(2);
    assert_eq!(line, "less '/runs/my run/$(reboot).log' \"/runs/my run/x\"; py-spy dump --pid 4321 # 0,3 2");
}

#[test]
fn what_is_not_known_of_a_row_is_said_and_never_made_up() {
    let (commands, _) = read_text(
        "[commands]\na.command = \"kill -0 {{ pid }}\"\nb.command = \"ls {{ out }}\"\nc.command = \"ls {{ run_dir }}\"\n",
    );
    let queued = RowValues { attempt: None, pid: None, ..row() };
    let told: Vec<_> = commands.iter().map(|command| render_argv(command, &queued)).collect();
    assert_eq!(told[0], Err("the shard has no process here, so there is no {{ pid }}".to_owned()));
    assert_eq!(told[1], Err("the shard has not started yet, so there is no {{ out }}".to_owned()));
    assert!(told[2].is_ok());
}

#[test]
fn mistakes_are_told_with_their_places_and_the_rest_holds() {
    let (commands, told) = read_text(
        "[commands]\na.command = \"ls {{ ot }}\"\nb = { key = \"f2\" }\nc = { command = \"\", mode = \"bckground\" }\n\
         d = { command = \"ls\", kye = \"f3\" }\ne = \"ls\"\nf.command = \"ls {{ out | nope }}\"\ng.command = \"{{ out\"\nh.command = [1]\n",
    );
    let names: Vec<&str> = commands.iter().map(|command| command.name.as_str()).collect();
    assert_eq!(names, ["d"]);
    let expected = [
        "ot: the variable `ot` is not defined (did you mean `out`?",
        "`b` needs `command`",
        "\"\": `command` is empty",
        "\"bckground\": `mode` cannot be `bckground` (did you mean `background`?)",
        "kye: `d` has no key `kye` (did you mean `key`?)",
        "\"ls\": `e` must be a table, not a string",
        "`q` quotes for the shell",
        "the template cannot be rendered",
        "1: `command` must be a string, not an integer",
    ];
    for part in expected {
        assert!(told.iter().any(|told| told.contains(part)), "{part}: {told:#?}");
    }
    assert_eq!(told.len(), expected.len(), "{told:#?}");
}

#[test]
fn a_sweep_has_them_in_its_plan_and_refuses_what_does_not_render() {
    let origin = crate::config::plan::PlanOrigin {
        file: Path::new("/sweeps/a.toml").to_owned(),
        home: None,
        cores: 4,
        ..Default::default()
    };
    let sweep =
        |commands: &str| format!("[shard]\nid = \"one\"\ncommand = \"true\"\n[commands]\n{commands}\n");
    let source = sweep("video = { key = \"f4\", command = \"mpv {{ out }}/video.mp4\" }");
    let plan = crate::config::plan::read_plan(&source, &origin).expect("a good sweep");
    assert_eq!(plan.commands[0].name, "video");
    assert_eq!(of_sweep(&source)[0].key.as_ref().map(|key| &source[key.span.clone()]), Some("\"f4\""));
    let bad = crate::config::plan::read_plan(&sweep("video.command = \"mpv {{ outt }}\""), &origin);
    assert!(bad.expect_err("a bad name").to_string().contains("`outt` is not defined"));
}
