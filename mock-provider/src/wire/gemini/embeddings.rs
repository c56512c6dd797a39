//! Embeddings: a vector for each text, which depends on the text alone.
//!
//! Source: <https://ai.google.dev/api/embeddings>.

use serde_json::{Value, json};

use crate::answer::HttpError;
use crate::conversation::{list, strings};
use crate::embeddings::vector;
use crate::wire::dispatch::count_tokens;

/// The number of dimensions of `gemini-embedding-001`.
const DIMENSIONS: u64 = 3072;

/// Most requests in a batch: <https://ai.google.dev/api/embeddings#method:-models.batchembedcontents>.
const MAX_REQUESTS: usize = 100;

/// The answer to a request for one vector, or for several.
///
/// # Errors
/// The error of the real API for a batch that is too large.
pub(crate) fn embeddings(body: &Value, is_batch: bool) -> Result<Value, HttpError> {
    if !is_batch {
        return Ok(json!({ "embedding": embedding(body) }));
    }
    let requests = list(&body["requests"]);
    if requests.len() > MAX_REQUESTS {
        let message = format!(
            "* BatchEmbedContentsRequest.requests: at most {MAX_REQUESTS} requests can be in one batch\n"
        );
        return Err(HttpError::new(400, "INVALID_ARGUMENT", message));
    }
    let tokens: u64 = requests
        .iter()
        .map(|one| count_tokens(&one["content"]))
        .sum();
    let embeddings: Vec<Value> = requests.iter().map(embedding).collect();
    Ok(json!({ "embeddings": embeddings, "usageMetadata": { "promptTokenCount": tokens } }))
}

fn embedding(request: &Value) -> Value {
    let dimensions = request["outputDimensionality"]
        .as_u64()
        .unwrap_or(DIMENSIONS);
    let text = strings(&request["content"]["parts"]).concat();
    json!({ "values": vector(&text.into(), dimensions) })
}
