//! Images and documents: detection of the media type, base64.

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

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 with padding (RFC 4648, section 4).
pub(crate) fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = three.iter().enumerate().fold(0u32, |bits, (i, byte)| {
            bits | u32::from(*byte) << (16 - 8 * i)
        });
        for place in 0..4 {
            if place <= three.len() {
                let letter = bits >> (18 - 6 * place) & 63;
                text.push(char::from(LETTERS[letter as usize]));
            } else {
                text.push('=');
            }
        }
    }
    text
}

/// Decodes base64; none if the text is no base64.
pub(crate) fn unbase64(text: &str) -> Option<Vec<u8>> {
    let body = text.trim_end_matches('=');
    if !text.len().is_multiple_of(4) || text.len() - body.len() > 2 {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0u32, 0);
    for letter in body.bytes() {
        let six = LETTERS.iter().position(|known| *known == letter)?;
        bits = bits << 6 | six as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xFF) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_follows_the_standard() {
        for (plain, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(plain.as_bytes()), coded);
            assert_eq!(unbase64(coded).as_deref(), Some(plain.as_bytes()));
        }
        assert_eq!(base64(&[0xff, 0xfe, 0xfb]), "//77");
    }

    #[test]
    fn the_media_type_is_known_by_the_first_bytes() {
        assert_eq!(
            sniff(b"\x89PNG\r\n\x1a\nrest"),
            Some(Media::Image("image/png"))
        );
        assert_eq!(
            sniff(b"RIFF\0\0\0\0WEBPVP8 "),
            Some(Media::Image("image/webp"))
        );
        assert_eq!(sniff(b"plain"), None);
    }
}
