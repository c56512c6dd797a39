//! Startup: flags, environment, settings.

use crate::pi::harness::{Setup, ended_messages};
use serde_json::json;

const MODELS: &str = r#"{"providers":{"mocka":{"baseUrl":"http://127.0.0.1:1","apiKey":"k","api":"anthropic-messages","models":[
  {"id":"mock-a","name":"A","reasoning":true,"input":["text"],"contextWindow":200000,"maxTokens":8192,"cost":{"input":3,"output":15,"cacheRead":0.3,"cacheWrite":3.75}}]}}}"#;

#[test]
fn the_agent_writes_nothing_before_a_command() {
    let mut agent = Setup::new().start();

    assert_eq!(agent.finish(), (vec![], Some(0)));
}

#[test]
fn the_flags_of_the_real_agent_are_accepted() {
    let setup = Setup::new().script(&json!([{ "text": "hi" }]));
    setup.write(".pi/agent/models.json", MODELS);
    let flags = "--provider mocka --model mock-a --thinking low --api-key k --system-prompt terse";
    let flags: Vec<_> = flags.split(' ').collect();
    let mut agent = setup.args(&flags).start();

    let run = agent.run("hello");

    let answer = ended_messages(&run)[1];
    assert_eq!(
        (&answer["api"], &answer["provider"], &answer["model"]),
        (
            &json!("anthropic-messages"),
            &json!("mocka"),
            &json!("mock-a")
        )
    );
    assert_eq!(agent.finish(), (vec![], Some(0)));
}

#[test]
fn the_mode_can_be_joined_to_its_flag() {
    let mut agent = Setup::with_args(&["--mode=rpc", "--protocol=0.14", "--no-session"]).start();

    assert_eq!(agent.ask("hello"), "You said: hello");
}

#[test]
fn invalid_flags_end_the_process_without_a_frame() {
    for flags in [
        &["--thinking", "much"][..],
        &["-z"],
        &["--fault", "no-such-fault"],
    ] {
        let mut agent = Setup::new().args(flags).start();

        assert_eq!(agent.read_to_end(), (vec![], Some(2)), "{flags:?}");
    }
}

#[test]
fn an_unknown_model_ends_the_process_without_a_frame() {
    let setup = Setup::new().args(&["--provider", "other", "--model", "x"]);
    setup.write(".pi/agent/models.json", MODELS);

    assert_eq!(setup.start().read_to_end(), (vec![], Some(1)));
}
