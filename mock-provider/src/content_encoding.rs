//! Decodes compressed bodies: the header `content-encoding` (RFC 9110, section 8.4).

use std::io::{self, Read};

use bytes::Bytes;
use hyper::HeaderMap;
use hyper::header::CONTENT_ENCODING;

type Open = fn(&[u8]) -> io::Result<Box<dyn Read + '_>>;

/// The decoder of each encoding but `identity`, by its names.
const ENCODINGS: [(&[&str], Open); 4] = [
    (&["gzip", "x-gzip"], |body| {
        Ok(Box::new(flate2::read::MultiGzDecoder::new(body)))
    }),
    (&["deflate"], open_deflate),
    (&["br"], |body| {
        Ok(Box::new(brotli_decompressor::Decompressor::new(body, 4096)))
    }),
    (&["zstd"], |body| {
        let decoder = ruzstd::decoding::StreamingDecoder::new(body);
        Ok(Box::new(decoder.map_err(io::Error::other)?))
    }),
];

/// Zlib data, as the standard says, or bare deflate data, which some clients send.
fn open_deflate(body: &[u8]) -> io::Result<Box<dyn Read + '_>> {
    let has_zlib_header = matches!(*body, [first, second, ..]
        if first & 0x0f == 8 && u16::from_be_bytes([first, second]).is_multiple_of(31));
    Ok(if has_zlib_header {
        Box::new(flate2::read::ZlibDecoder::new(body))
    } else {
        Box::new(flate2::read::DeflateDecoder::new(body))
    })
}

/// The encodings of a body, in the order in which they were applied.
#[derive(Debug, Clone, Default)]
pub struct ContentEncodings(Vec<(String, Open)>);

/// A body as far as it is decoded.
#[derive(Debug)]
pub struct DecodedBody {
    /// What is decoded: at most one byte more than the limit.
    pub bytes: Bytes,
    /// The encoding that the rest of the body does not have, and why.
    pub broken: Option<(String, io::Error)>,
}

impl ContentEncodings {
    /// The encodings that headers name.
    ///
    /// # Errors
    /// The first encoding that cannot be decoded.
    pub fn of(headers: &HeaderMap) -> Result<Self, String> {
        let mut encodings = Vec::new();
        for value in headers.get_all(CONTENT_ENCODING) {
            let value = String::from_utf8_lossy(value.as_bytes()).to_lowercase();
            for name in value.split(',').map(str::trim) {
                let known = ENCODINGS.iter().find(|(names, _)| names.contains(&name));
                match known {
                    Some((_, open)) => encodings.push((name.to_owned(), *open)),
                    None if matches!(name, "" | "identity") => {}
                    None => return Err(name.to_owned()),
                }
            }
        }
        Ok(ContentEncodings(encodings))
    }

    /// Decodes a body, as far as it is valid and not larger than `limit` bytes.
    #[must_use]
    pub fn decode(&self, mut bytes: Bytes, limit: usize) -> DecodedBody {
        let mut broken = None;
        // The last encoding was applied last.
        for (name, open) in self.0.iter().rev() {
            if bytes.is_empty() {
                break;
            }
            let mut decoded = Vec::new();
            let read = open(&bytes).and_then(|reader| {
                let most = (limit as u64).saturating_add(1);
                reader.take(most).read_to_end(&mut decoded)
            });
            broken = broken.or(read.err().map(|error| (name.clone(), error)));
            bytes = decoded.into();
        }
        DecodedBody { bytes, broken }
    }
}
