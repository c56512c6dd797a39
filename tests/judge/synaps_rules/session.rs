//! The rules of synaps@1 about the session and what is resumed.

use super::*;

#[test]
fn get_state_says_that_no_turn_runs_some_time_after_the_last_one() {
    let idle = "> get_state s0; state s0; > get_state s1; state s1";
    let turn = "> prompt p1; text a; > abort a1; agent_end; done p1 prompt; done a1 abort";
    let busy = "> get_state t1; busy t1; > get_state t2; busy t2; > get_state t3; busy t3";
    let end = "> shutdown; end 0";
    assert_clean(&[
        &format!("{idle}; {turn}; {busy}; > get_state t4; state t4; {end}"),
        &format!("{idle}; {turn}; {busy}; {end}"),
        &format!("{turn}; {busy}; 99000000 end killed budget:response"),
    ]);
    assert_findings(&[
        (
            &format!("{idle}; {turn}; > get_state t1; state t1; {busy}; {end}"),
            &["state-idle"],
        ),
        (
            &format!("{idle}; {turn}; {busy}; end killed budget:response"),
            &["state-at-rest"],
        ),
        (
            &format!(
                "{idle}; {turn}; {busy}; 99000000 > {{\"type\":\"prompt\",\"id\":\"p2\",\"message\":\"m\"}}; text b; {end}"
            ),
            &["state-at-rest"],
        ),
    ]);
}

#[test]
fn session_ids_are_not_reused() {
    assert_clean(&[
        "> new_session n1; fresh n1 s2; > new_session n2; fresh n2 s3; > shutdown; end 0",
    ]);
    assert_findings(&[(
        "> new_session n1; fresh n1 s2; > new_session n2; fresh n2 s1; > shutdown; end 0",
        &["session-id-unique"],
    )]);
}

#[test]
fn large_subagent_ids_are_compared_exactly() {
    let start = |first: u64, second: u64| {
        format!(
            "> prompt p1; sub start {first}; sub done {first}; sub start {second}; sub done {second}; text a; agent_end; done p1 prompt; > shutdown; end 0"
        )
    };
    assert_clean(&[&start(u64::MAX - 1, u64::MAX)]);
    assert_findings(&[(&start(u64::MAX, u64::MAX - 1), &["subagent-ids-grow"])]);
}

#[test]
fn the_statistics_of_a_resumed_session_count_turns_that_came_before() {
    let more = "ready; > prompt p1; text a; agent_end; done p1 prompt; > get_session_stats g1; stats g1 510 92; > shutdown; end 0";
    let none: [&str; 0] = [];
    assert_eq!(
        rules_found_with(&["synaps", "rpc", "--continue", "s1"], more),
        none
    );
    assert_eq!(rules_found(more), ["stats-are-sums"]);

    let new = "ready; > new_session n1; fresh n1 s2; > prompt p1; text a; agent_end; done p1 prompt; > get_session_stats g1; stats g1 510 92; > shutdown; end 0";
    assert_eq!(
        rules_found_with(&["synaps", "rpc", "--continue", "s1"], new),
        ["stats-are-sums"]
    );
}

#[test]
fn a_resumed_session_has_messages_that_came_before() {
    let resumed = &["synaps", "rpc", "--continue", "s1"];
    let more = "ready; > get_messages g0; messages g0 Old question|Old answer; > prompt p1 New question; text New answer; agent_end; done p1 prompt; > get_messages g1; messages g1 Old question|Old answer|New question|New answer; > shutdown; end 0";
    let none: [&str; 0] = [];
    assert_eq!(rules_found_with(resumed, more), none);

    let lost = more.replace("|New question|New answer", "");
    assert_eq!(rules_found_with(resumed, &lost), ["history-kept"]);
}

#[test]
fn an_answer_that_came_behind_an_abort_of_its_turn_may_be_missing() {
    let request = |texts: &[&str]| {
        let messages = texts
            .iter()
            .map(|text| json!({ "role": "user", "content": text }));
        let messages: Vec<_> = messages.collect();
        let body = json!({ "model": "m", "messages": messages, "tools": [{ "name": "bash" }] });
        format!("request {body}")
    };
    let (first, second) = ("what do you see", "and what is behind it");
    let turn = |abort: &str| {
        let asked = request(&[first]);
        let next = request(&[first, second]);
        format!(
            "> prompt p1 {first}; {abort}{asked}; reply 200 [{{\"call\":{{\"name\":\"bash\",\"arguments\":{{\"command\":\"ls\"}}}}}}]; agent_end; done p1 prompt; done a1 abort; > prompt p2 {second}; {next}"
        )
    };
    assert_clean(&[&turn("> abort a1; ")]);
    let found = rules_found(&format!("ready; {}", turn("")));
    assert!(found.contains(&"answer-kept".to_owned()), "{found:?}");
}

#[test]
fn the_results_of_tools_go_to_the_model_that_was_set() {
    let set = "> set_model m1 local/a; set m1";
    let end = "> shutdown; end 0";
    let turn = |first: &str, status: u16, second: &str, meanwhile: &str| {
        let asked = json!({ "role": "user", "content": "run it" });
        let call = json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": "c1", "name": "bash", "input": {} }] });
        let result = json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "c1", "content": "r" }] });
        let one = json!({ "model": first, "messages": [&asked] });
        let two = json!({ "model": second, "messages": [&asked, &call, &result] });
        format!(
            "> prompt p1 run it; request {one}; reply {status}; start c1; piece c1 {{}}; {meanwhile}; result c1; request {two}; reply 200; text a; agent_end; done p1 prompt"
        )
    };
    assert_clean(&[
        &format!("{set}; {}; {end}", turn("a", 200, "a", "")),
        // Another model may be asked after a failure, and where none was set.
        &format!("{set}; {}; {end}", turn("a", 500, "m", "")),
        &format!("{}; {end}", turn("m", 200, "other", "")),
        // The turn goes on with the model of its start, or with the new one.
        &format!("{}; {end}", turn("m", 200, "m", set)),
        &format!("{}; {end}", turn("m", 200, "a", set)),
    ]);
    assert_findings(&[(
        &format!("{set}; {}; {end}", turn("a", 200, "m", "")),
        &["active-model-stays"],
    )]);
}

#[test]
fn the_available_models_do_not_depend_on_the_active_one() {
    let first = "> get_available_models l1; models l1 local/m local/a";
    let away = "> set_model m1 local/a; set m1";
    let back = "> set_model m2 local/m; set m2";
    let end = "> shutdown; end 0";
    let again = |models: &str| format!("> get_available_models l2; models l2 {models}; {end}");
    assert_clean(&[
        &format!("{first}; {away}; {back}; {}", again("local/a local/m")),
        &format!(
            "{first}; {away}; {back}; {}",
            again("local/m local/a local/b")
        ),
        // A model of the start may be listed only while it is active.
        &format!("{first}; {away}; {}", again("local/a")),
    ]);
    assert_findings(&[(
        &format!("{first}; {away}; {back}; {}", again("local/a")),
        &["models-stay-available"],
    )]);
}

#[test]
fn only_a_new_session_that_began_has_nothing_of_the_one_before() {
    let session = |answer: &str| {
        let first = r#"{"role":"user","content":"count the herons in the reeds"}"#;
        format!(
            r#"ready; > prompt p1 count the herons in the reeds; request {{"messages":[{first}],"tools":[{{"name":"look"}}]}}; reply 200 [{{"text":"Seven."}}];
            text Seven.; agent_end; done p1 prompt; > new_session n1; {answer}; > prompt p2 what was it;
            request {{"messages":[{first},{{"role":"assistant","content":"Seven."}},{{"role":"user","content":"what was it"}}],"tools":[{{"name":"look"}}]}};
            reply 200 [{{"text":"Seven."}}]; text Seven.; agent_end; done p2 prompt; > shutdown; end 0"#
        )
    };
    assert_eq!(rules_found(&session("fresh n1 s2")), ["sessions-apart"]);
    let refused = rules_found(&session("failed n1 new_session"));
    assert!(
        !refused.contains(&"sessions-apart".to_owned()),
        "{refused:?}"
    );
}

#[test]
fn the_count_of_a_turn_that_was_stopped_may_differ_until_its_end() {
    let counted = r#"< {"type":"response","id":"s1","command":"get_state","streaming":false,"model":"local/m","session_id":"s1","message_count":1}"#;
    let messages = r#"< {"type":"response","id":"m1","command":"get_messages","messages":[{"role":"user","content":"m"},{"role":"assistant","content":"a"}]}"#;
    let told = format!("> get_messages m1; {messages}; > get_state s1; {counted}");
    let stopped = "> prompt p1; text a; > abort a1; done a1 abort";
    let found = |session: &str| {
        let rules = rules_found(&format!("ready; {session}; {told}; > shutdown; end 0"));
        rules.contains(&"counts-agree".to_owned())
    };
    assert!(!found(stopped));
    assert!(found("> prompt p1; text a; agent_end; done p1 prompt"));
}
