//! What the APIs have besides a message for a request: the cases of `api_features.yaml`.

mod common;

use common::Mock;
use mock_provider::server::ServerOptions;
use serde_json::{Value, json};

/// The elements of a list; none of anything else.
fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The text in a list of texts.
fn texts(value: &Value) -> impl Iterator<Item = &str> {
    list(value)
        .iter()
        .map(|text| text.as_str().expect("a text"))
}

/// The bytes of a request's body, from JSON or in hexadecimal.
fn body(request: &Value) -> Vec<u8> {
    match request["hex"].as_str() {
        Some(hex) => data_encoding::HEXLOWER
            .decode(hex.as_bytes())
            .expect("hexadecimal digits"),
        None if request["body"].is_null() => Vec::new(),
        None => {
            let mut body = request["body"].clone();
            if request["streamed"] == true {
                body["stream"] = true.into();
            }
            body.to_string().into_bytes()
        }
    }
}

/// Sends a request and checks its answer. Returns its failures, and the id of the answer.
async fn play(mock: &mut Mock, name: &str, request: &Value) -> (Vec<String>, String) {
    let path = request["path"].as_str().expect("a path");
    let method = request["method"].as_str().unwrap_or("POST");
    let mut head = format!("{method} {path} HTTP/1.1\r\nhost: h\r\n");
    let version = path
        .contains("messages")
        .then_some("anthropic-version: 1\r\n");
    head += version.unwrap_or_default();
    for (header, value) in request["headers"].as_object().into_iter().flatten() {
        head += &format!("{header}: {}\r\n", value.as_str().expect("a text"));
    }
    let body = body(request);
    head += &format!("content-length: {}\r\n\r\n", body.len());
    let mut client = mock.connect().await;
    client.send([head.as_bytes(), &body].concat()).await;
    let is_bodiless = method == "HEAD" || method == "OPTIONS";
    let response = if is_bodiless {
        client.head().await.expect("a head")
    } else {
        client.response().await
    };

    let seen = format!("{name}: {request}: {}{}", response.head, response.text());
    assert_eq!(
        response.status,
        request["status"].as_u64().unwrap_or(200) as u16,
        "{seen}"
    );
    assert!(
        texts(&request["head"]).all(|line| response.head.contains(line)),
        "{seen}"
    );
    assert!(
        texts(&request["has"]).all(|text| response.text().contains(text)),
        "{seen}"
    );
    assert!(
        !texts(&request["lacks"]).any(|text| response.text().contains(text)),
        "{seen}"
    );
    let failures = mock.failures().await.into_iter().map(|failure| {
        let kind = serde_json::to_value(failure.kind).expect("JSON");
        format!("{}: {}", kind.as_str().unwrap_or_default(), failure.message)
    });
    let text = response.text();
    let id = text
        .split(r#""id":""#)
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    (failures.collect(), id.unwrap_or_default().to_owned())
}

#[tokio::test]
async fn each_feature_is_served_or_named_in_the_journal() {
    let cases = spanned_yaml::load_yaml("api_features.yaml", include_str!("api_features.yaml"));
    let cases = cases.expect("good YAML").to_value();
    for (name, case) in cases.as_object().expect("a map") {
        let script = match &case["script"] {
            Value::Null => json!([{ "text": "hi", "repeat": "forever" }]),
            script => script.clone(),
        };
        let options = ServerOptions {
            keyless: true,
            ..ServerOptions::default()
        };
        let mut mock = Mock::with(script, options);
        let (mut failures, mut ids) = (Vec::new(), vec![("LAST_ID", String::new())]);
        for request in list(&case["requests"]) {
            let fill = |text: String, (name, id): &(&str, String)| text.replace(name, id);
            let called = request["called"].as_str();
            let filled = ids.iter().fold(request.to_string(), fill);
            let request = serde_json::from_str(&filled).expect("JSON");
            let (more, id) = play(&mut mock, name, &request).await;
            failures.extend(more);
            ids.extend(called.map(|called| (called, id.clone())));
            ids[0].1 = id;
        }
        let expected: Vec<_> = texts(&case["failures"]).collect();
        assert_eq!(failures.len(), expected.len(), "{name}: {failures:?}");
        for (failure, expected) in failures.iter().zip(expected) {
            assert!(failure.contains(expected), "{name}: {failure}");
        }
    }
}
