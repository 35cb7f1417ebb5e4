//! What kind of place an IP address is, in all the forms in which an IPv4 address can hide in an IPv6 one.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Kinds of addresses, from the harmless to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// Anywhere on the internet.
    Public,
    /// This machine: always allowed (Qwen: hooks on the loopback are the usual development setup).
    Loopback,
    /// Inside an organisation, or for no ordinary use: allowed where the policy says so.
    Private,
    /// Of this link only: never allowed, most cloud metadata services are there.
    LinkLocal,
    /// A cloud's metadata service, which hands out credentials: never allowed.
    Metadata,
}

/// A class, and the range that made it so, for messages.
pub(super) type Finding = (Class, &'static str);

const PUBLIC: Finding = (Class::Public, "a public address");

/// The metadata services of AWS, Azure, Google and others; Alibaba; Oracle; Azure's host agent.
const METADATA_V4: [Ipv4Addr; 4] = [
    Ipv4Addr::new(169, 254, 169, 254),
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(192, 0, 0, 192),
    Ipv4Addr::new(168, 63, 129, 16),
];

/// The metadata services of AWS and Google over IPv6.
const METADATA_V6: [Ipv6Addr; 2] =
    [Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254), Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254)];

const METADATA: Finding = (Class::Metadata, "a cloud metadata service");

/// IPv4 ranges: those that Qwen Code refuses, and the others of IANA's special-purpose registry that lead to no public server.
const RANGES_V4: [(Ipv4Addr, u32, Finding); 12] = [
    (Ipv4Addr::new(127, 0, 0, 0), 8, (Class::Loopback, "a loopback address")),
    (Ipv4Addr::new(169, 254, 0, 0), 16, (Class::LinkLocal, "a link-local address (169.254.0.0/16)")),
    (Ipv4Addr::new(0, 0, 0, 0), 8, (Class::Private, "an unspecified address (0.0.0.0/8)")),
    (Ipv4Addr::new(10, 0, 0, 0), 8, (Class::Private, "a private address (10.0.0.0/8)")),
    (Ipv4Addr::new(100, 64, 0, 0), 10, (Class::Private, "a shared carrier address (100.64.0.0/10)")),
    (Ipv4Addr::new(172, 16, 0, 0), 12, (Class::Private, "a private address (172.16.0.0/12)")),
    (Ipv4Addr::new(192, 0, 0, 0), 24, (Class::Private, "a protocol assignment (192.0.0.0/24)")),
    (Ipv4Addr::new(192, 168, 0, 0), 16, (Class::Private, "a private address (192.168.0.0/16)")),
    (Ipv4Addr::new(198, 18, 0, 0), 15, (Class::Private, "a benchmarking address (198.18.0.0/15)")),
    (Ipv4Addr::new(224, 0, 0, 0), 4, (Class::Private, "a multicast address (224.0.0.0/4)")),
    (Ipv4Addr::new(240, 0, 0, 0), 4, (Class::Private, "a reserved address (240.0.0.0/4)")),
    (Ipv4Addr::new(255, 255, 255, 255), 32, (Class::Private, "the broadcast address")),
];

/// IPv6 ranges, likewise.
const RANGES_V6: [(Ipv6Addr, u32, Finding); 7] = [
    (Ipv6Addr::LOCALHOST, 128, (Class::Loopback, "a loopback address")),
    (Ipv6Addr::UNSPECIFIED, 128, (Class::Private, "the unspecified address")),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10, (Class::LinkLocal, "a link-local address (fe80::/10)")),
    (Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0), 10, (Class::Private, "a site-local address (fec0::/10)")),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7, (Class::Private, "a unique local address (fc00::/7)")),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8, (Class::Private, "a multicast address (ff00::/8)")),
    (NAT64_LOCAL, 48, (Class::Private, "a local NAT64 address (64:ff9b:1::/48)")),
];

/// RFC 8215.
const NAT64_LOCAL: Ipv6Addr = Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, 0, 0);

/// The worst that can be said of an address.
pub(super) fn classify(address: IpAddr) -> Finding {
    match address {
        IpAddr::V4(address) => classify_v4(address),
        IpAddr::V6(address) => classify_v6(address),
    }
}

fn classify_v4(address: Ipv4Addr) -> Finding {
    if METADATA_V4.contains(&address) {
        return METADATA;
    }
    let bits = u32::from(address);
    let within = |base: Ipv4Addr, prefix: u32| {
        (bits ^ u32::from(base)).checked_shr(32_u32.saturating_sub(prefix)).unwrap_or(0) == 0
    };
    RANGES_V4
        .iter()
        .find(|(base, prefix, _)| within(*base, *prefix))
        .map_or(PUBLIC, |(_, _, finding)| *finding)
}

fn classify_v6(address: Ipv6Addr) -> Finding {
    if METADATA_V6.contains(&address) {
        return METADATA;
    }
    // The one form that the system itself turns back into IPv4: exactly as good and as bad as the address inside.
    if let Some(mapped) = address.to_ipv4_mapped() {
        return classify_v4(mapped);
    }
    let own = RANGES_V6
        .iter()
        .find(|(base, prefix, _)| starts_with(address, *base, *prefix))
        .map_or(PUBLIC, |(_, _, finding)| *finding);
    if own.0 == Class::Loopback {
        return own;
    }
    let hidden = embedded(address).into_iter().flatten().map(|inner| match classify_v4(inner) {
        // A translator's idea of "this machine" is another machine.
        (Class::Loopback, _) => (Class::Private, "a translated loopback address"),
        finding => finding,
    });
    hidden.chain([own]).max_by_key(|(class, _)| *class).unwrap_or(own)
}

fn starts_with(address: Ipv6Addr, base: Ipv6Addr, prefix: u32) -> bool {
    let difference = u128::from(address) ^ u128::from(base);
    difference.checked_shr(128_u32.saturating_sub(prefix)).unwrap_or(0) == 0
}

/// The IPv4 addresses that an IPv6 address may lead to.
fn embedded(address: Ipv6Addr) -> [Option<Ipv4Addr>; 4] {
    let bits = u128::from(address);
    // The low 32 bits of `bits >> shift`.
    let at = |shift: u32| Some(Ipv4Addr::from((bits >> shift) as u32));
    let low = bits as u32;
    match () {
        // RFC 8215 and 6052: the prefix may end at bit 48, 56, 64 or 96, and bits 64 to 71 are left out.
        () if starts_with(address, NAT64_LOCAL, 48) => {
            let (a, b) = ((bits >> 64) as u32, (bits >> 40) as u32);
            let at_48 = (a & 0xffff) << 16 | (b & 0xffff);
            let at_56 = (a & 0xff) << 24 | ((bits >> 32) as u32 & 0x00ff_ffff);
            [Some(at_48.into()), Some(at_56.into()), at(24), at(0)]
        }
        // RFC 6052, the well-known NAT64 prefix.
        () if starts_with(address, Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96) => {
            [at(0), None, None, None]
        }
        // RFC 3056, 6to4.
        () if starts_with(address, Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16) => {
            [at(80), None, None, None]
        }
        // RFC 4380, Teredo: the server, and the client with all bits turned over.
        () if starts_with(address, Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 32) => {
            [at(64), Some(Ipv4Addr::from(!low)), None, None]
        }
        // RFC 4291 IPv4-compatible (::a.b.c.d) and RFC 2765 IPv4-translated (::ffff:0:a.b.c.d).
        () if bits >> 32 == 0 || bits >> 32 == 0xffff_0000 => [at(0), None, None, None],
        // RFC 5214, ISATAP, behind any prefix.
        () if matches!((bits >> 32) as u32, 0x0000_5efe | 0x0200_5efe) => [at(0), None, None, None],
        () => [None; 4],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(text: &str) -> Class {
        classify(text.parse().unwrap()).0
    }

    #[test]
    fn table() {
        let table: &[(Class, &[&str])] = &[
            (
                Class::Metadata,
                &[
                    "169.254.169.254",
                    "100.100.100.200",
                    "192.0.0.192",
                    "168.63.129.16",
                    "fd00:ec2::254",
                    "fd20:ce::254",
                    "::ffff:169.254.169.254",
                    "::ffff:a9fe:a9fe",
                    "::169.254.169.254",
                    "::ffff:0:169.254.169.254",
                    "64:ff9b::a9fe:a9fe",
                    "64:ff9b::6464:64c8",
                    "64:ff9b:1:a9fe:a9:fe00::",
                    "64:ff9b:1:a9:fe:a9fe::",
                    "64:ff9b:1::a9:fea9:fe00:0",
                    "64:ff9b:1::a9fe:a9fe",
                    "2002:a9fe:a9fe::1",
                    "2001:0:a9fe:a9fe::",
                    "2001:0:102:304:0:0:5601:5601",
                    "2001:db8::5efe:a9fe:a9fe",
                    "2001:db8::200:5efe:169.254.169.254",
                ],
            ),
            (
                Class::LinkLocal,
                &[
                    "169.254.0.0",
                    "169.254.255.255",
                    "fe80::1",
                    "febf:ffff::1",
                    "::ffff:169.254.1.1",
                    "::169.254.170.2",
                    "64:ff9b::169.254.1.1",
                    "2002:a9fe:101::",
                ],
            ),
            (
                Class::Private,
                &[
                    "0.0.0.0",
                    "0.1.2.3",
                    "10.0.0.1",
                    "10.255.255.255",
                    "100.64.0.0",
                    "100.127.255.255",
                    "172.16.0.1",
                    "172.31.255.255",
                    "192.0.0.1",
                    "192.168.1.1",
                    "198.18.0.1",
                    "198.19.255.255",
                    "224.0.0.1",
                    "239.255.255.255",
                    "240.0.0.1",
                    "255.255.255.255",
                    "::",
                    "fc00::1",
                    "fdff::1",
                    "fd00:ec2::253",
                    "fec0::1",
                    "feff::1",
                    "ff02::1",
                    "::ffff:10.0.0.1",
                    "::ffff:0.0.0.0",
                    "::10.0.0.1",
                    "::127.0.0.1",
                    "::ffff:0:10.0.0.1",
                    "64:ff9b::10.0.0.1",
                    "64:ff9b::127.0.0.1",
                    "64:ff9b:1::8.8.8.8",
                    "2002:c0a8:101::1",
                    "2002:7f00:1::",
                    "2001:0:a00:1::",
                    "2001:0:102:304::f5ff:fffe",
                    "2001:db8::5efe:10.0.0.1",
                ],
            ),
            (Class::Loopback, &["127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1", "::ffff:7f00:1"]),
            (
                Class::Public,
                &[
                    "8.8.8.8",
                    "1.0.0.0",
                    "9.255.255.255",
                    "11.0.0.0",
                    "100.63.255.255",
                    "100.128.0.0",
                    "126.255.255.255",
                    "128.0.0.0",
                    "169.253.255.255",
                    "169.255.0.0",
                    "172.15.255.255",
                    "172.32.0.0",
                    "192.0.1.0",
                    "192.167.255.255",
                    "192.169.0.0",
                    "198.17.255.255",
                    "198.20.0.0",
                    "223.255.255.255",
                    "2606:4700::1111",
                    "::ffff:8.8.8.8",
                    "64:ff9b::8.8.8.8",
                    "2002:808:808::1",
                    "2001:4860:4860::8888",
                    "fbff::1",
                ],
            ),
        ];
        for (expected, addresses) in table {
            for address in *addresses {
                assert_eq!(class(address), *expected, "{address}");
            }
        }
    }

    #[test]
    fn the_worst_comes_last() {
        assert!(Class::Public < Class::Loopback && Class::Loopback < Class::Private);
        assert!(Class::Private < Class::LinkLocal && Class::LinkLocal < Class::Metadata);
    }
}
