#!/usr/bin/env bash
# How the certificates in this folder were made (OpenSSL 3.0). They are for the playground on loopback and protect nothing:
# the private keys are public. Run it in this folder only to make new ones.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
touch "$work/index.txt"
printf '[ca]\ndefault_ca=d\n[d]\ndatabase=%s/index.txt\nnew_certs_dir=%s\ndefault_md=sha256\nrand_serial=yes\npolicy=p\nunique_subject=no\n[p]\ncommonName=supplied\n' "$work" "$work" > "$work/ca.cnf"
printf 'basicConstraints=critical,CA:true\nkeyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=hash\n' > "$work/root.ext"
printf 'basicConstraints=critical,CA:false\nkeyUsage=critical,digitalSignature\nextendedKeyUsage=serverAuth\nsubjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1\nsubjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n' > "$work/leaf.ext"

key() { openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt -out "$1"; }
sign() { openssl ca -batch -notext -config "$work/ca.cnf" "$@" 2> /dev/null; }

key "$work/ca.key"
openssl req -new -key "$work/ca.key" -subj '/CN=Consilium Playground CA' -out "$work/ca.csr"
sign -selfsign -keyfile "$work/ca.key" -in "$work/ca.csr" -extfile "$work/root.ext" -startdate 20240101000000Z -enddate 21240101000000Z -out ca.crt
for name in valid expired; do
  end=21230101000000Z
  if [ "$name" = expired ]; then end=20240401000000Z; fi
  key "$name.key"
  openssl req -new -key "$name.key" -subj '/CN=localhost' -out "$work/$name.csr"
  sign -keyfile "$work/ca.key" -cert ca.crt -in "$work/$name.csr" -extfile "$work/leaf.ext" -startdate 20240101000000Z -enddate "$end" -out "$name.crt"
done
