//! The GitHub action: the step of `action.yml` that tests the agent, as a runner would start it.

use crate::harness::{RunResult, TestDir, finish};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};

const BROKEN_AGENT: &str = include_str!("../../examples/broken-agent");

/// The script of the step with the id `run`.
fn step_script() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("action.yml");
    let action = spanned_yaml::load_file(&path).unwrap();
    let steps = action.get("runs").and_then(|runs| runs.get("steps"));
    let steps = steps.and_then(|steps| steps.as_list()).unwrap();
    let text = |step: &spanned_yaml::Node, key: &str| {
        let value = step.get(key).and_then(|value| value.as_str());
        value.map(str::to_owned)
    };
    let step = steps
        .iter()
        .find(|step| text(step, "id").as_deref() == Some("run"));
    text(step.unwrap(), "run").unwrap()
}

/// Runs the step in this folder as a job with these inputs would.
fn step(dir: &TestDir, agent: &str, args: &str) -> RunResult {
    let programs = dir.path("runner/conform");
    if !programs.join("conform").exists() {
        std::fs::create_dir_all(&programs).unwrap();
        symlink(env!("CARGO_BIN_EXE_conform"), programs.join("conform")).unwrap();
    }
    for written in ["outputs", "summary"] {
        dir.file(written, "");
    }
    let child = Command::new("bash")
        .args(["--noprofile", "--norc", "-eo", "pipefail", "-c"])
        .arg(step_script())
        .current_dir(dir.path(""))
        .envs([
            ("AGENT", agent),
            ("DIALECT", ""),
            ("ARGS", args),
            ("REPORTS", "reports"),
        ])
        .env("RUNNER_TEMP", dir.path("runner"))
        .env("GITHUB_OUTPUT", dir.path("outputs"))
        .env("GITHUB_STEP_SUMMARY", dir.path("summary"))
        .env("TMPDIR", dir.path("tmp"))
        .env("XDG_STATE_HOME", dir.path("state"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let output = finish(child);
    RunResult {
        status: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        report: None,
    }
}

/// Runs the script that installs conform, with an archive and its checksum.
fn install(dir: &TestDir, archive: &Path, sha256: &str) -> Output {
    Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("packages/install"))
        .arg(dir.path("runner/conform"))
        .args([archive, Path::new(sha256)])
        .output()
        .unwrap()
}

fn written(dir: &TestDir, name: &str) -> String {
    std::fs::read_to_string(dir.path(name)).unwrap()
}

#[test]
fn the_action_annotates_the_run_and_summarizes_the_job() {
    let dir = TestDir::new();
    let agent = dir.file("my agent", BROKEN_AGENT);
    std::fs::set_permissions(agent, PermissionsExt::from_mode(0o755)).unwrap();
    // A file that the pattern of scenarios would name in a shell.
    dir.file("turn/plant", "");

    let result = step(&dir, "'./my agent'", "--only turn/pla*");

    result.assert_exit(
        1,
        "\n::error title=must aionrs/json-lines::the line is not JSON",
    );
    assert_eq!(written(&dir, "outputs"), "status=1\n");
    assert!(written(&dir, "summary").contains("| must | the line is not JSON"));
    for report in ["report.json", "report.html", "report.sarif", "junit.xml"] {
        assert!(dir.path("reports").join(report).exists(), "{report}");
    }
}

#[test]
fn the_action_installs_an_archive_with_the_right_checksum() {
    let dir = TestDir::new();
    std::fs::create_dir(dir.path("release")).unwrap();
    symlink(env!("CARGO_BIN_EXE_conform"), dir.path("release/conform")).unwrap();
    let archive = dir.path("release.tar.gz");
    let run = |args: &[&str]| {
        Command::new(args[0])
            .args(&args[1..])
            .current_dir(dir.path(""))
            .output()
    };
    run(&["tar", "-czf", "release.tar.gz", "release"]).unwrap();
    let sum = run(&["sha256sum", "release.tar.gz"]).unwrap().stdout;
    let sum = String::from_utf8(sum).unwrap();
    let sum = sum.split(' ').next().unwrap();

    let refused = install(&dir, &archive, &"0".repeat(64));
    assert!(!refused.status.success(), "{refused:?}");
    assert!(!dir.path("runner/conform/conform").exists());

    let installed = install(&dir, &archive, sum);
    assert!(installed.status.success(), "{installed:?}");
    let agent = dir.file("agent.sh", BROKEN_AGENT);
    step(&dir, &format!("sh {agent}"), "--only turn/plain").assert_exit(1, "aionrs/json-lines");
}

#[test]
fn the_action_fails_without_an_agent() {
    let dir = TestDir::new();
    for config in ["", "dialect: aionrs@0.1\n"] {
        dir.file("conform.yaml", config);
        step(&dir, "", "--only turn/plain").assert_exit(2, "::error title=conform::No agent");
        assert_eq!(written(&dir, "outputs"), "status=2\n");
    }

    let agent = dir.file("agent.sh", BROKEN_AGENT);
    dir.file(
        "conform.yaml",
        &format!("dialect: aionrs@0.1\nagent: [sh, {agent}]\n"),
    );
    step(&dir, "", "--only turn/plain").assert_exit(1, "aionrs/json-lines");
}
