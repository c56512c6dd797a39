//! The rules of aionrs about settings, ids of calls and servers.

use super::*;

#[test]
fn an_invalid_set_mode_may_be_answered_in_any_way() {
    let wild = "> {\"type\":\"set_mode\",\"mode\":\"wild\"}";
    assert_findings_0_2(wild, &["schema/>set_mode@2"]);
    for answer in [
        "error - protocol_error".to_owned(),
        "info".to_owned(),
        capabilities_event("config_changed", "default", "unknown"),
        "> {\"type\":\"message\",\"msg_id\":\"m1\",\"content\":\"a\"}".to_owned(),
    ] {
        assert_findings_0_2(&format!("{wild}; {answer}"), &["schema/>set_mode@2"]);
    }
    assert_findings_0_2(
        &format!(
            "{wild}; {}",
            capabilities_event("config_changed", "wild", "unknown")
        ),
        &["schema/>set_mode@2", "current-mode-known@3"],
    );
}

#[test]
fn a_changed_setting_stays_in_effect() {
    let yolo = format!(
        "> mode yolo; info; {}",
        capabilities_event("config_changed", "yolo", "unknown")
    );
    let images = "> {\"type\":\"set_config\",\"image_input\":\"supported\"}; info";
    let both = capabilities_event("config_changed", "yolo", "supported");
    assert_findings_0_2(&format!("{yolo}; {images}; {both}"), &[]);
    let lost = capabilities_event("config_changed", "default", "supported");
    assert_findings_0_2(&format!("{yolo}; {images}; {lost}"), &["mode-holds@7"]);
    // Two commands in one write: the first event may report the result of the first command, or of the second.
    let two = "> mode auto_edit; > mode yolo; info; info";
    let second = capabilities_event("config_changed", "yolo", "unknown");
    for first in ["auto_edit", "yolo"] {
        let first = capabilities_event("config_changed", first, "unknown");
        assert_findings_0_2(&format!("{two}; {first}; {second}"), &[]);
    }
    let first = capabilities_event("config_changed", "auto_edit", "unknown");
    assert_findings_0_2(&format!("{two}; {first}; {first}"), &["mode-holds@7"]);
}

#[test]
fn each_setting_has_its_own_info() {
    let changed = |mode| capabilities_event("config_changed", mode, "unknown");
    let go = "> {\"type\":\"message\",\"msg_id\":\"m1\",\"content\":\"a\"}; start m1; end m1";
    let (edit, yolo) = (changed("auto_edit"), changed("yolo"));
    let modes = "> mode auto_edit; > mode yolo; info";
    assert_findings_0_2(&format!("{modes}; {edit}; info; {yolo}; {go}"), &[]);
    assert_findings_0_2(&format!("{modes}; {edit}; {yolo}; {go}"), &["mode-info@8"]);
    let wrong = |value| format!("> {{\"type\":\"set_config\",\"thinking\":\"{value}\"}}");
    let says =
        "< {\"type\":\"info\",\"msg_id\":\"\",\"message\":\"config updated: thinking: ignored\"}";
    let same = changed("default");
    let values = format!("{}; {}; {says}; {same}", wrong("maybe"), wrong("perhaps"));
    assert_findings_0_2(&format!("{values}; {says}; {same}; {go}"), &[]);
    assert_findings_0_2(
        &format!("{values}; {same}; {go}"),
        &["config-info@8", "invalid-config-told@8"],
    );
    // During a turn, one event may report all of them.
    let turn = "> {\"type\":\"message\",\"msg_id\":\"m1\",\"content\":\"a\"}; start m1";
    assert_findings_0_2(
        &format!(
            "{turn}; {}; {}; end m1; {says}; {same}",
            wrong("maybe"),
            wrong("perhaps")
        ),
        &[],
    );
}

#[test]
fn a_repeated_call_id_is_allowed_if_it_is_the_model_s() {
    let turn = |n: u8, id: &str| {
        format!(
            "> msg m{n} a; start m{n}; request {{\"a\":\"a\"}}; ask m{n} {id} Write edit; > approve {id} once; run m{n} {id} Write; result m{n} {id} Write"
        )
    };
    let own = "request {\"id\":\"toolu_1\"}";
    let passed = "request {\"id\":\"t1\"}";
    assert_findings(
        &format!(
            "ready; {}; {own}; end m1; {}; end m2",
            turn(1, "t1"),
            turn(2, "t1")
        ),
        &["call-id-own@14"],
    );
    assert_findings(
        &format!(
            "ready; {}; {passed}; end m1; {}; end m2",
            turn(1, "t1"),
            turn(2, "t1")
        ),
        &["call-id-unique@14"],
    );
    assert_clean(&format!(
        "ready; {}; {own}; end m1; {}; end m2",
        turn(1, "t1"),
        turn(2, "t2")
    ));
}

#[test]
fn an_mcp_server_is_reported_once() {
    let add =
        "> {\"type\":\"add_mcp_server\",\"name\":\"w\",\"transport\":\"stdio\",\"command\":\"w\"}";
    let ready = "< {\"type\":\"mcp_ready\",\"name\":\"w\",\"tools\":[]}";
    assert_findings_0_2(&format!("{add}; {ready}"), &[]);
    assert_findings_0_2(&format!("{add}; {ready}; {ready}"), &["mcp-server-once@4"]);
    assert_findings_0_2(&format!("{add}; {add}; {ready}; {ready}"), &[]);
}

/// A message of 0.2.
fn message(id: &str) -> String {
    format!("> {{\"type\":\"message\",\"msg_id\":\"{id}\",\"content\":\"LOOK\"}}")
}

#[test]
fn the_end_of_stdin_excuses_a_turn_of_0_2() {
    let begun = format!("{}; stdin_closed; start m1", message("m1"));
    assert_findings_0_2(&format!("{begun}; end 0"), &["turn-open-at-end@5"]);
    assert_findings_0_2(
        &format!("{begun}; request {{\"a\":\"b\"}}; end m1; end 0"),
        &[],
    );
    let open = format!("{}; start m1", message("m1"));
    assert_findings_0_2(
        &format!("{open}; end killed budget:response"),
        &["turn-envelope@4"],
    );
    assert_findings_0_2(
        &format!("{open}; request {{\"a\":\"b\"}}; end m1"),
        &["input-reaches-model@5"],
    );
}

#[test]
fn a_server_that_comes_too_late_is_not_ready() {
    let add = "> {\"type\":\"add_mcp_server\",\"name\":\"words\",\"transport\":\"stdio\",\"command\":\"sh\"}";
    let ready = "< {\"type\":\"mcp_ready\",\"name\":\"words\",\"tools\":[]}";
    let turn = format!("{}; start m1; end m1", message("m1"));
    assert_findings_0_2(
        &format!("{turn}; {add}; error - protocol_error; {ready}"),
        &["late-mcp-server-is-not-ready@7"],
    );
    assert_findings_0_2(
        &format!("{add}; {ready}; {turn}; {add}; error - protocol_error; {ready}"),
        &[],
    );
}
