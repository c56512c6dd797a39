//! The content of prompts, as the model gets it.

use super::rpc::RpcError;
use crate::model::ContentBlock;
use serde_json::Value;

/// The blocks for the model.
///
/// # Errors
/// There is no block, or one is of an unknown type or lacks something.
pub(super) fn blocks(prompt: &Value) -> Result<Vec<ContentBlock>, RpcError> {
    let prompt = prompt.as_array().filter(|blocks| !blocks.is_empty());
    let prompt = prompt.ok_or_else(|| {
        RpcError::invalid_params("`prompt` must be a list with at least one block")
    })?;
    prompt.iter().map(block).collect()
}

fn block(block: &Value) -> Result<ContentBlock, RpcError> {
    let kind = block["type"].as_str().unwrap_or_default();
    let member = |of: &Value, name: &str| {
        let text = of[name].as_str().map(str::to_owned);
        text.ok_or_else(|| {
            RpcError::invalid_params(format!("A block of type {kind:?} needs the text `{name}`"))
        })
    };
    Ok(match kind {
        "text" => ContentBlock::Text(member(block, "text")?),
        "image" => ContentBlock::Image {
            media_type: member(block, "mimeType")?,
            data: member(block, "data")?,
        },
        "audio" => data(
            "audio".into(),
            member(block, "mimeType")?,
            member(block, "data")?,
        ),
        "resource_link" => {
            let (name, uri) = (member(block, "name")?, member(block, "uri")?);
            ContentBlock::Text(format!("[{name}]({uri})"))
        }
        "resource" => {
            let resource = &block["resource"];
            let uri = member(resource, "uri")?;
            if let Some(text) = resource["text"].as_str() {
                return Ok(ContentBlock::Text(format!(
                    "<context uri=\"{uri}\">\n{text}\n</context>"
                )));
            }
            let media_type = resource["mimeType"].as_str();
            let media_type = media_type.unwrap_or("application/octet-stream");
            data(uri, media_type.to_owned(), member(resource, "blob")?)
        }
        _ => {
            return Err(RpcError::invalid_params(format!(
                "Unknown type of content: {kind:?}"
            )));
        }
    })
}

/// Data in base64: as text where no model takes it as it is.
fn data(name: String, media_type: String, data: String) -> ContentBlock {
    match media_type.as_str() {
        "application/pdf" => ContentBlock::Document {
            name,
            media_type,
            data,
        },
        image if image.starts_with("image/") => ContentBlock::Image { media_type, data },
        _ => ContentBlock::Text(format!(
            "<data name=\"{name}\" type=\"{media_type}\">\n{data}\n</data>"
        )),
    }
}

/// The texts that the user has written.
pub(super) fn text(prompt: &Value) -> String {
    let blocks = prompt.as_array().into_iter().flatten();
    let texts = blocks.filter(|block| block["type"] == "text");
    let texts: Vec<_> = texts.filter_map(|block| block["text"].as_str()).collect();
    texts.join("\n")
}
