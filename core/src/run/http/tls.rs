//! TLS: which certificates are trusted, and the handshake.

use std::sync::{Arc, Mutex};

use rustls::ClientConfig;
use rustls::RootCertStore;
use rustls::pki_types::{CertificateDer, ServerName};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::failure::{Failure, causes};

/// TLS as one client does it: the system's certificates and the caller's, read when first needed.
#[derive(Debug, Default)]
pub(super) struct Tls {
    extra_roots: Vec<Vec<u8>>,
    /// Locked for an instant only, and never waited for: a fork may have left it locked.
    config: Mutex<Option<Arc<ClientConfig>>>,
}

impl Tls {
    pub(super) fn new(extra_roots: Vec<Vec<u8>>) -> Self {
        Self { extra_roots, config: Mutex::default() }
    }

    /// Makes a secure connection out of a plain one, to a server that can prove that it is `host`.
    pub(super) async fn handshake(
        &self,
        host: &str,
        stream: TcpStream,
    ) -> Result<TlsStream<TcpStream>, Failure> {
        let name = ServerName::try_from(host.to_owned())
            .map_err(|_| Failure::Tls(format!("{host} is not a name that a certificate can have")))?;
        let config = self.config().await?;
        TlsConnector::from(config).connect(name, stream).await.map_err(|error| {
            let text = causes(&error);
            let hint = if text.contains("UnknownIssuer") {
                " (its issuer is not among the certificates that this system trusts, or those that SSL_CERT_FILE names)"
            } else {
                ""
            };
            Failure::Tls(format!("{host}: {text}{hint}"))
        })
    }

    async fn config(&self) -> Result<Arc<ClientConfig>, Failure> {
        if let Ok(config) = self.config.try_lock()
            && let Some(config) = &*config
        {
            return Ok(config.clone());
        }
        let extra = self.extra_roots.clone();
        // Some hundred small files, or one large one.
        let made = tokio::task::spawn_blocking(move || configure(extra)).await;
        let config = Arc::new(made.map_err(|_| Failure::Tls("the certificates were not read".into()))??);
        if let Ok(mut place) = self.config.try_lock() {
            *place = Some(config.clone());
        }
        Ok(config)
    }
}

/// Blocks while it reads files.
fn configure(extra: Vec<Vec<u8>>) -> Result<ClientConfig, Failure> {
    let mut roots = RootCertStore::empty();
    for (index, der) in extra.into_iter().enumerate() {
        roots.add(CertificateDer::from(der)).map_err(|error| {
            Failure::Tls(format!("extra root certificate {index} cannot be used: {error}"))
        })?;
    }
    let system = rustls_native_certs::load_native_certs();
    // Single certificates that cannot be read are common, and harm nobody who does not need them.
    roots.add_parsable_certificates(system.certs);
    if roots.is_empty() {
        let why = system.errors.first().map(|error| format!(": {error}")).unwrap_or_default();
        return Err(Failure::Tls(format!(
            "this system has no certificates to check servers with{why} (install ca-certificates, or set SSL_CERT_FILE)"
        )));
    }
    // The provider is named, never installed for the process: that choice is the host program's.
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Failure::Tls(causes(&error)))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}
