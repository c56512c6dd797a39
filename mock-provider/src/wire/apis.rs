//! Common parts of the real APIs' responses, as data: response headers, the usual error of each HTTP status, models.

use std::sync::LazyLock;

use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};
use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

use crate::answer::HttpError;
use crate::conversation::list;
use crate::headers::header_map;
use crate::request::Wire;

/// The data of each vendor.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Apis {
    anthropic: Api,
    openai: Api,
    gemini: Api,
}

/// The data of a vendor's API.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Api {
    /// The header with the id of the request; empty if there is none.
    #[serde(default)]
    request_id: String,
    /// Other headers of every response.
    #[serde(default)]
    headers: IndexMap<String, String>,
    #[serde(default)]
    limit: LimitHeaders,
    /// The rate limits, by name.
    #[serde(default)]
    limits: IndexMap<String, u64>,
    /// When the rate limits are reset.
    #[serde(default)]
    reset: String,
    errors: Vec<UsualError>,
    /// The document of the list of models. A request may name any other model.
    models: Value,
}

/// The names of the headers of a rate limit, with the placeholder `NAME`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct LimitHeaders {
    limit: String,
    remaining: String,
    reset: String,
}

/// The usual error of a status.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct UsualError {
    status: u16,
    #[serde(rename = "type")]
    kind: String,
    message: String,
    #[serde(default)]
    code: Option<String>,
}

static APIS: LazyLock<Apis> = LazyLock::new(|| {
    let node = spanned_yaml::load_yaml("apis.yaml", include_str!("apis.yaml"));
    let apis = node.and_then(|node| spanned_yaml::decode(&node));
    apis.unwrap_or_default()
});

impl Wire {
    fn api(self) -> &'static Api {
        match self {
            Wire::AnthropicMessages => &APIS.anthropic,
            Wire::OpenAiChat | Wire::OpenAiResponses => &APIS.openai,
            Wire::Gemini => &APIS.gemini,
        }
    }

    /// The headers of a response; the script's own replace them.
    pub(crate) fn headers(self, status: u16, request_id: &str) -> HeaderMap {
        static OF_SUCCESS: [LazyLock<HeaderMap>; 3] = [
            LazyLock::new(|| Wire::AnthropicMessages.constant_headers(200)),
            LazyLock::new(|| Wire::OpenAiChat.constant_headers(200)),
            LazyLock::new(|| Wire::Gemini.constant_headers(200)),
        ];
        let mut headers = if status == 200 {
            HeaderMap::clone(match self {
                Wire::AnthropicMessages => &OF_SUCCESS[0],
                Wire::OpenAiChat | Wire::OpenAiResponses => &OF_SUCCESS[1],
                Wire::Gemini => &OF_SUCCESS[2],
            })
        } else {
            self.constant_headers(status)
        };
        let name = HeaderName::try_from(&self.api().request_id);
        if let (Ok(name), Ok(id)) = (name, HeaderValue::try_from(request_id)) {
            headers.insert(name, id);
        }
        headers
    }

    /// The headers that do not depend on the request.
    fn constant_headers(self, status: u16) -> HeaderMap {
        let api = self.api();
        let always = api.headers.clone().into_iter();
        // As the vendors' SDKs retry.
        let is_retried = matches!(status, 408 | 409 | 429) || status >= 500;
        let says_retry = self == Wire::AnthropicMessages && status >= 400;
        let retry = says_retry.then(|| ("x-should-retry".to_owned(), is_retried.to_string()));
        let limits = api.limits.iter().flat_map(|(name, limit)| {
            let left = if status == 429 { 0 } else { limit - 1 };
            [
                (&api.limit.limit, limit.to_string()),
                (&api.limit.remaining, left.to_string()),
                (&api.limit.reset, api.reset.clone()),
            ]
            .map(|(header, value)| (header.replace("NAME", name), value))
        });
        header_map(always.chain(retry).chain(limits))
    }

    /// The usual error of an HTTP status; the error of 400 or 500 if the status has none.
    pub(crate) fn usual_error(self, status: u16) -> HttpError {
        let find = |status| self.api().errors.iter().find(|one| one.status == status);
        let general = if status >= 500 { 500 } else { 400 };
        match find(status).or_else(|| find(general)) {
            Some(usual) => HttpError::new(status, &usual.kind, &usual.message)
                .about(None, usual.code.as_deref()),
            None => HttpError::new(status, "api_error", "error"),
        }
    }

    /// The HTTP status of a type of error; 500 for an unknown type.
    pub(super) fn status_of(self, kind: &str) -> u16 {
        let mut errors = self.api().errors.iter();
        let usual = errors.find(|usual| usual.kind == kind);
        usual.map_or(500, |usual| usual.status)
    }

    /// The list of models.
    pub(crate) fn models(self) -> &'static Value {
        &self.api().models
    }

    /// One model. A request may name any model, so every one is found.
    pub(crate) fn model(self, id: &str) -> Value {
        let (models, resource) = match self {
            Wire::Gemini => (&self.models()["models"], format!("models/{id}")),
            _ => (&self.models()["data"], id.to_owned()),
        };
        let models = list(models);
        let is_it =
            |model: &&Value| [&model["id"], &model["name"]].contains(&&Value::from(&*resource));
        let known = models.iter().find(is_it);
        let mut model = known.or(models.first()).cloned().unwrap_or_default();
        if known.is_none() {
            let shown = ["display_name", "displayName"].map(|name| (name, id));
            for (name, text) in [("id", &*resource), ("name", &resource)]
                .into_iter()
                .chain(shown)
            {
                if let Some(member) = model.get_mut(name) {
                    *member = text.into();
                }
            }
        }
        model
    }

    /// The type and code of an error in a stream in the words of this API: a type of another vendor becomes the usual one of its status.
    pub(super) fn error_words(self, kind: &str) -> (String, Option<String>) {
        let names = |usual: &&UsualError| usual.kind == kind || usual.code.as_deref() == Some(kind);
        let vendors = [&APIS.anthropic, &APIS.openai, &APIS.gemini];
        let own = self.api().errors.iter().find(names);
        let foreign = || vendors.into_iter().flat_map(|api| &api.errors).find(names);
        let usual = match own {
            Some(own) => Some((own.kind.clone(), own.code.clone())),
            None => foreign().map(|foreign| {
                let error = self.usual_error(foreign.status);
                (error.kind, error.details.code)
            }),
        };
        usual.unwrap_or_else(|| (kind.to_owned(), None))
    }
}
