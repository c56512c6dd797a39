//! Images and documents: detection of the media type.

/// A media type that models accept in base64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Media {
    Image(&'static str),
    Document(&'static str),
}

/// The media type of a file, from its first bytes.
pub(crate) fn sniff(bytes: &[u8]) -> Option<Media> {
    const STARTS: [(&[u8], Media); 4] = [
        (b"\x89PNG\r\n\x1a\n", Media::Image("image/png")),
        (b"\xff\xd8\xff", Media::Image("image/jpeg")),
        (b"GIF8", Media::Image("image/gif")),
        (b"%PDF-", Media::Document("application/pdf")),
    ];
    if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        return Some(Media::Image("image/webp"));
    }
    STARTS
        .iter()
        .find(|(start, _)| bytes.starts_with(start))
        .map(|(_, media)| *media)
}
