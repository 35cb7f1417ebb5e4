//! TLS against a server with a certificate authority of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::super::{Client, Failure, Options, Policy};
use super::server::{Saw, Server, ok};
use super::{post, run};

static COUNT: AtomicUsize = AtomicUsize::new(0);

/// A certificate authority's certificate, and a server with one for `names`.
fn server(names: &[&str]) -> (Vec<u8>, Server) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    // Authorities are told apart by their names.
    params
        .distinguished_name
        .push(DnType::CommonName, format!("test authority {}", COUNT.fetch_add(1, Ordering::Relaxed)));
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let certificate = CertificateParams::new(names).unwrap().signed_by(&key, &authority).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from(certificate.der().to_vec())],
            PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
        )
        .unwrap();
    let config = Arc::new(config);
    let server = Server::wrapped(
        move |stream| StreamOwned::new(ServerConnection::new(config.clone()).unwrap(), stream),
        |peer| while peer.answer(ok("{\"tls\":true}")).is_some() {},
    );
    (authority.der().to_vec(), server)
}

fn client(roots: &[&Vec<u8>]) -> Client {
    Client::new(Options {
        extra_roots: roots.iter().map(|root| root.to_vec()).collect(),
        ..Options::default()
    })
}

#[test]
fn a_trusted_server() {
    let (root, server) = server(&["localhost", "127.0.0.1"]);
    let client = client(&[&root]);
    run(async {
        for (host, large) in
            [("localhost", false), ("localhost.", true), ("127.0.0.1", false), ("127.1", true)]
        {
            let mut request = post(&format!("https://{host}:{}/x", server.port));
            if large {
                request.body = vec![vec![b'x'; 3 << 20].into()];
            }
            let response = client.send(&request, &Policy::default()).await.unwrap();
            assert_eq!((response.status, &response.body[..]), (200, &b"{\"tls\":true}"[..]), "{host}");
        }
    });
    assert_eq!(server.opened(), 2, "connections are kept");
    drop(client);
    let mut closed = [server.next(), server.next()];
    closed.sort_by_key(|saw| format!("{saw:?}"));
    assert_eq!(closed, [Saw::Closed(1), Saw::Closed(2)]);
}

#[test]
fn servers_that_are_not_trusted() {
    let (root, right) = server(&["localhost"]);
    let (other_root, _) = server(&["localhost"]);
    let (_, unknown) = server(&["localhost"]);
    let plain = Server::start(|peer| {
        peer.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        std::thread::sleep(Duration::from_millis(200));
    });
    let client = client(&[&root, &other_root]);
    run(async {
        for (host, server, words) in [
            ("127.0.0.1", &right, "certificate not valid for name"),
            ("a.localhost", &right, "certificate not valid for name"),
            ("localhost", &unknown, "its issuer is not among the certificates that this system trusts"),
            ("localhost", &plain, "corrupt message"),
        ] {
            let request = post(&format!("https://{host}:{}/", server.port));
            let failure = client.send(&request, &Policy::default()).await.expect_err(words);
            let Failure::Tls(text) = &failure else { panic!("{failure}") };
            assert!(text.contains(words) && text.contains(host), "{text}");
        }
        // The connection for one scheme is not used for the other.
        client.send(&post(&format!("https://localhost:{}/", right.port)), &Policy::default()).await.unwrap();
        let request = post(&format!("http://localhost:{}/", right.port));
        assert!(matches!(client.send(&request, &Policy::default()).await, Err(Failure::Protocol(_))));
    });
    for server in [&right, &unknown] {
        let requests = server.all().into_iter().filter(|saw| matches!(saw, Saw::Request(..))).count();
        assert_eq!(
            requests,
            usize::from(std::ptr::eq(server, &right)),
            "only the trusted one was told anything"
        );
    }
    assert!(
        rustls::crypto::CryptoProvider::get_default().is_none(),
        "the choice of a provider for the whole process is the host's"
    );
}

#[test]
fn certificates_that_are_none() {
    let client = client(&[&b"not a certificate".to_vec()]);
    let (_, server) = server(&["localhost"]);
    let failure = run(async {
        client
            .send(&post(&format!("https://localhost:{}/", server.port)), &Policy::default())
            .await
            .expect_err("no")
    });
    assert!(failure.to_string().contains("extra root certificate 0 cannot be used"), "{failure}");
}
