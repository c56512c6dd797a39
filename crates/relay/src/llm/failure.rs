//! Explains failed requests to the model, with what to do.

use super::url::ModelUrl;
use rustls::CertificateError as Certificate;
use std::error::Error;
use std::io;

/// Names of a certificate that are shown.
const SHOWN_NAMES: usize = 3;

/// The reason of a failed request, without a newline.
pub(super) fn explain(error: &(dyn Error + 'static), model: &ModelUrl) -> String {
    let innermost = innermost(error);
    match innermost.downcast_ref() {
        Some(rustls::Error::InvalidCertificate(certificate)) => of_certificate(certificate, model),
        Some(rustls::Error::InvalidMessage(_)) => {
            "it does not speak TLS at this port; is the URL http:// or the port another one?"
                .to_owned()
        }
        Some(error) => format!("TLS failed: {error}"),
        None => innermost.to_string(),
    }
}

fn of_certificate(error: &Certificate, model: &ModelUrl) -> String {
    match error {
        // A signature by another key under the issuer's name is also an unknown issuer.
        Certificate::UnknownIssuer | Certificate::BadSignature => {
            "this system does not trust the issuer of its certificate. Name a PEM file with the issuer's certificate in SSL_CERT_FILE".to_owned()
        }
        Certificate::NotValidForNameContext { presented, .. } => {
            let mut names: Vec<_> = presented.iter().map(|name| plain_name(name)).collect();
            if names.len() > SHOWN_NAMES {
                names.truncate(SHOWN_NAMES);
                names.push("…");
            }
            format!(
                "its certificate is not for {}, only for [{}]. Use such a name in the URL",
                model.host(),
                names.join(", ")
            )
        }
        Certificate::Expired | Certificate::ExpiredContext { .. } => {
            "its certificate has expired, or the clock of this machine is wrong".to_owned()
        }
        Certificate::NotValidYet | Certificate::NotValidYetContext { .. } => {
            "its certificate is not valid yet, or the clock of this machine is wrong".to_owned()
        }
        other => format!("its certificate is refused: {other}"),
    }
}

/// A name in a certificate, from `DnsName("localhost")`, as the library shows it.
fn plain_name(shown: &str) -> &str {
    match shown.split_once('(') {
        Some(("DnsName" | "IpAddress", name)) => name.trim_end_matches(')').trim_matches('"'),
        _ => shown,
    }
}

/// The first cause of an error. An I/O error that wraps another one is not its source, so it is unwrapped.
fn innermost<'e>(error: &'e (dyn Error + 'static)) -> &'e (dyn Error + 'static) {
    let wrapped = error
        .downcast_ref::<io::Error>()
        .and_then(io::Error::get_ref)
        .map(|wrapped| -> &(dyn Error + 'static) { wrapped });
    match wrapped.or_else(|| error.source()) {
        Some(cause) => innermost(cause),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained(error: rustls::Error) -> String {
        let model = ModelUrl::parse("https://localhost").unwrap();
        // As the TLS connector nests it.
        let nested = io::Error::other(io::Error::new(io::ErrorKind::InvalidData, error));
        explain(&nested, &model)
    }

    #[test]
    fn a_refused_certificate_is_explained_with_what_to_do() {
        for (certificate, part) in [
            (Certificate::UnknownIssuer, "SSL_CERT_FILE"),
            (Certificate::Expired, "expired"),
            (Certificate::NotValidYet, "clock"),
            (Certificate::BadSignature, "SSL_CERT_FILE"),
            (Certificate::Revoked, "refused"),
        ] {
            let message = explained(certificate.into());
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn another_failure_is_explained_by_its_first_cause() {
        let model = ModelUrl::parse("https://localhost").unwrap();
        let refused = io::Error::new(io::ErrorKind::ConnectionRefused, "refused");

        assert_eq!(explain(&io::Error::other(refused), &model), "refused");
        assert_eq!(
            explained(rustls::Error::HandshakeNotComplete),
            "TLS failed: handshake not complete"
        );
    }
}
