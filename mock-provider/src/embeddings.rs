//! Embeddings of OpenAI: a vector for each text, which depends on the text alone.
//!
//! Source: <https://platform.openai.com/docs/api-reference/embeddings/create>.

use data_encoding::BASE64;
use serde_json::{Value, json};

use crate::answer::HttpError;
use crate::conversation::list;
use crate::ids::RandomBits;
use crate::wire;

/// The number of dimensions of each model; of any other model [`DIMENSIONS`].
const MODELS: [(&str, u64); 1] = [("text-embedding-3-large", 3072)];
const DIMENSIONS: u64 = 1536;

/// Most dimensions that are served.
const MOST_DIMENSIONS: u64 = 1 << 14;

/// The list of vectors that answers a request.
///
/// # Errors
/// The error of the real API for a request that is not valid.
pub(crate) fn embeddings(body: &Value) -> Result<Value, HttpError> {
    let model = text_member(body, "model")?;
    let input = &body["input"];
    let inputs = match input {
        Value::String(text) if !text.is_empty() => std::slice::from_ref(input),
        Value::Array(list) if list.first().is_some_and(Value::is_u64) => {
            std::slice::from_ref(input)
        }
        Value::Array(list) if !list.is_empty() => list,
        Value::Null => return Err(missing("input")),
        _ => {
            let message = "'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference.";
            return Err(HttpError::invalid(message).about(Some("input"), None));
        }
    };
    let known = MODELS.iter().find(|(name, _)| *name == model);
    let usual = known.map_or(DIMENSIONS, |(_, dimensions)| *dimensions);
    let dimensions = body["dimensions"].as_u64().unwrap_or(usual);
    let is_encoded = body["encoding_format"] == "base64";
    let data = (0..).zip(inputs).map(|(index, input): (usize, _)| {
        let vector = vector(input, dimensions);
        let embedding = if is_encoded {
            let bytes: Vec<u8> = vector.iter().flat_map(|one| one.to_le_bytes()).collect();
            BASE64.encode(&bytes).into()
        } else {
            json!(vector)
        };
        json!({ "object": "embedding", "index": index, "embedding": embedding })
    });
    let tokens = inputs.iter().map(token_count).sum::<u64>();
    Ok(json!({
        "object": "list",
        "data": data.collect::<Vec<_>>(),
        "model": model,
        "usage": { "prompt_tokens": tokens, "total_tokens": tokens },
    }))
}

/// The tokens of an input: of a text, or a list of tokens.
fn token_count(input: &Value) -> u64 {
    match list(input) {
        [] => wire::count_tokens(input),
        tokens => tokens.len() as u64,
    }
}

/// A vector of length 1, of at most [`MOST_DIMENSIONS`].
pub(crate) fn vector(input: &Value, dimensions: u64) -> Vec<f32> {
    let mut bits = RandomBits::new(0, &input.to_string());
    let random: Vec<f32> = (0..dimensions.clamp(1, MOST_DIMENSIONS))
        .map(|_| (bits.next() >> 40) as f32 / (1 << 23) as f32 - 1.0)
        .collect();
    let length = random.iter().map(|one| one * one).sum::<f32>().sqrt();
    random.into_iter().map(|one| one / length).collect()
}

fn text_member<'b>(body: &'b Value, member: &str) -> Result<&'b str, HttpError> {
    body[member].as_str().ok_or_else(|| missing(member))
}

fn missing(member: &str) -> HttpError {
    let message = format!("Missing required parameter: '{member}'.");
    HttpError::invalid(message).about(Some(member), Some("missing_required_parameter"))
}
