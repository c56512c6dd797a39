//! Startup: flags, environment, settings.

use crate::synaps::harness::Setup;
use serde_json::json;

#[test]
fn ready_contains_the_session_the_model_and_the_version() {
    let ready = Setup::new().start().next();

    assert_eq!(ready["type"], "ready");
    assert_eq!(ready["protocol_version"], 1);
    assert_eq!(ready["model"], "local/mock-model");
    assert!(!ready["session_id"].as_str().unwrap().is_empty());
}

#[test]
fn the_model_comes_from_the_flag_or_the_settings() {
    let file = "model = local/from-file\nprovider.local.url = http://127.0.0.1:1/v1\n";
    let model = |setup: Setup| setup.start().next()["model"].clone();

    assert_eq!(model(Setup::new().settings(file)), "local/from-file");
    let flag = Setup::new().settings(file).args(&["--model", "local/x"]);
    assert_eq!(model(flag), "local/x");
    let profile = Setup::new().settings(file).args(&["--profile", "spare"]);
    profile.write("base/spare/config", "model = local/spare\n");
    assert_eq!(model(profile), "local/spare");
}

#[test]
fn invalid_settings_end_the_process_without_a_frame() {
    let mut agent = Setup::new()
        .settings("provider.local.url = nowhere\n")
        .start();

    assert_eq!(agent.read_to_end(), (vec![], Some(1)));
}

#[test]
fn without_a_script_the_built_in_model_answers() {
    let mut agent = Setup::new().ready();

    let events = agent.turn("hello");

    assert_eq!(events[0]["event"]["delta"], "You ");
}

#[test]
fn a_session_is_continued_by_its_id() {
    let base = |setup: Setup| setup.settings("");
    let mut first = base(Setup::new()).ready();
    first.turn("remember");
    let id = first.ask("get_state")["session_id"].clone();
    let sessions = first.dir.path().join("base/sessions");
    let stored = std::fs::read(sessions.join(format!("{}.json", id.as_str().unwrap()))).unwrap();

    let setup = base(Setup::new()).args(&["--continue", id.as_str().unwrap()]);
    setup.write(
        &format!("base/sessions/{}.json", id.as_str().unwrap()),
        stored,
    );
    let mut second = setup.ready();

    assert_eq!(second.ask("get_state")["message_count"], 2);
    assert_eq!(second.ask("get_state")["session_id"], id);
}

#[test]
fn a_command_written_before_ready_is_answered_after_it() {
    let mut agent = Setup::new().script(&json!([])).start();
    agent.send(&json!({ "type": "get_state", "id": "early" }));

    assert_eq!(agent.next()["type"], "ready");
    assert_eq!(agent.next()["id"], "early");
}
