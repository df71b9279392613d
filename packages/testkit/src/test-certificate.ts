/**
 * For tests alone: a certificate of `trusted.example` that nobody trusts, and its key, which protects nothing. Valid
 * for a hundred years. Made by: openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500
 * -subj /CN=trusted.example -addext subjectAltName=DNS:trusted.example
 */
export const TEST_CERTIFICATE = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgbsn0ujDGNhZ6hHEX
3FUWAdlyIoTunrDfYjL5ovTnYYuhRANCAASoO6jAv8dDGuiusqZdzvULCnfCMXMS
6IGx+LqWlWjTe3sTlJsKC3ZnOlK7qeNw2pWBpNihu40kSCffGcNoYwmF
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBpjCCAU2gAwIBAgIUBEv175lMIRPFP6qH7AlKSUR8kGswCgYIKoZIzj0EAwIw
GjEYMBYGA1UEAwwPdHJ1c3RlZC5leGFtcGxlMCAXDTI2MTEyMTE0MzcyNFoYDzIx
MjYxMDI4MTQzNzI0WjAaMRgwFgYDVQQDDA90cnVzdGVkLmV4YW1wbGUwWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAASoO6jAv8dDGuiusqZdzvULCnfCMXMS6IGx+LqW
lWjTe3sTlJsKC3ZnOlK7qeNw2pWBpNihu40kSCffGcNoYwmFo28wbTAdBgNVHQ4E
FgQUR8N8uNp6QW4LzNXAmiz+y/AkPgYwHwYDVR0jBBgwFoAUR8N8uNp6QW4LzNXA
miz+y/AkPgYwDwYDVR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgg90cnVzdGVkLmV4
YW1wbGUwCgYIKoZIzj0EAwIDRwAwRAIgLOh9NdnjzVHMr8RCLjKYlWoNueEp4I6v
fQEOm6m5HTcCIHxd4qv+fnmXQ0C5nsgi1Rbha5adMILp7pQuJRWt2tms
-----END CERTIFICATE-----
`,
};
