//! The base URL of a model.

use super::error::ModelUrlError;
use hyper::Uri;
use hyper::http::uri::{Authority, Parts, PathAndQuery, Scheme};
use std::fmt;

/// The base URL of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelUrl {
    scheme: Scheme,
    authority: Authority,
    /// The path in front of the path of a request, without a slash at its end.
    prefix: String,
}

impl ModelUrl {
    /// Reads the base URL of a model.
    ///
    /// # Errors
    /// It is not a URL, or has parts that a base URL must not have.
    pub fn parse(url: &str) -> Result<Self, ModelUrlError> {
        let uri: Uri = url.parse().map_err(|source| ModelUrlError::Invalid {
            url: url.to_owned(),
            source,
        })?;
        let Parts {
            scheme: Some(scheme),
            authority: Some(authority),
            path_and_query,
            ..
        } = uri.into_parts()
        else {
            return Err(ModelUrlError::Incomplete(url.to_owned()));
        };
        if scheme != Scheme::HTTP && scheme != Scheme::HTTPS {
            return Err(ModelUrlError::Scheme(url.to_owned()));
        }
        if authority.as_str().contains('@') {
            return Err(ModelUrlError::Credentials {
                scheme: scheme.to_string(),
                host: authority.host().to_owned(),
            });
        }
        let path = path_and_query.unwrap_or_else(|| PathAndQuery::from_static("/"));
        if path.query().is_some() {
            return Err(ModelUrlError::Query(url.to_owned()));
        }
        Ok(ModelUrl {
            prefix: path.path().trim_end_matches('/').to_owned(),
            scheme,
            authority,
        })
    }

    /// Whether the model is reached over TLS.
    pub(super) fn is_secure(&self) -> bool {
        self.scheme == Scheme::HTTPS
    }

    /// The host, without the brackets of an IPv6 address.
    pub(super) fn host(&self) -> &str {
        self.authority.host().trim_matches(['[', ']'])
    }

    /// The URL at the model for a URL at the relay. `None` if both together are not a URL.
    pub(super) fn of_request(&self, request: &Uri) -> Option<Uri> {
        let path = request.path_and_query().map_or("/", PathAndQuery::as_str);
        Uri::builder()
            .scheme(self.scheme.clone())
            .authority(self.authority.clone())
            .path_and_query(format!("{}{path}", self.prefix))
            .build()
            .ok()
    }
}

impl fmt::Display for ModelUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}{}", self.scheme, self.authority, self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_keeps_its_path_and_query_below_the_base_url() {
        for (base, request, at_the_model) in [
            (
                "http://localhost:8080/api/",
                "/v1/messages?beta=true",
                "http://localhost:8080/api/v1/messages?beta=true",
            ),
            (
                "https://api.example.com",
                "/v1/messages",
                "https://api.example.com/v1/messages",
            ),
            ("https://[::1]:8443", "/", "https://[::1]:8443/"),
        ] {
            let url = ModelUrl::parse(base).unwrap();
            assert_eq!(url.to_string(), base.trim_end_matches('/'));
            let found = url.of_request(&request.parse().unwrap());
            assert_eq!(found.unwrap().to_string(), at_the_model);
        }
        assert_eq!(ModelUrl::parse("https://[::1]:8443").unwrap().host(), "::1");
    }

    #[test]
    fn a_url_is_refused_with_a_reason() {
        for (url, why) in [
            ("localhost:80", "expected https://HOST"),
            ("api.example.com", "expected https://HOST"),
            ("", "not a URL"),
            ("ftp://localhost", "expected https:// or http://"),
            ("http://", "not a URL"),
            ("https://user:secret@localhost", "its own credentials"),
            ("https://localhost/?a=b", "it has a query"),
        ] {
            let message = ModelUrl::parse(url).unwrap_err().to_string();
            assert!(message.contains(why), "{message}");
            assert!(!message.contains("secret"), "{message}");
        }
    }
}
