#!/usr/bin/env bash
# golang.org/x/mod 0.7.0 of Debian 12 (apt-get install golang-go golang-golang-x-mod-dev).
# note.Open looks at the first signature of each key only. A note with a right signature and then a wrong one of the
# same key is opened; the other way round it is refused. By https://c2sp.org/signed-note every signature of a known
# key is verified, and a note with a wrong one should be rejected. Readers that do so refuse both.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
export GO111MODULE=off GOPATH=/usr/share/gocode GOCACHE="$place/cache"
dpkg-query --show golang-golang-x-mod-dev
cat > "$place/main.go" <<'GO'
package main

import (
	"crypto/rand"
	"fmt"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

func main() {
	private, public, _ := note.GenerateKey(rand.Reader, "example.com/log")
	signer, _ := note.NewSigner(private)
	verifier, _ := note.NewVerifier(public)
	line := func(text string) string {
		signed, _ := note.Sign(&note.Note{Text: text}, signer)
		return strings.SplitAfter(string(signed), "\n\n")[1]
	}
	opens := func(name string, lines ...string) bool {
		_, err := note.Open([]byte("text\n\n"+strings.Join(lines, "")), note.VerifierList(verifier))
		fmt.Printf("%s: %v\n", name, err)
		return err == nil
	}
	right, wrong := line("text\n"), line("another text\n")
	seen := []bool{
		opens("right", right),
		opens("right, wrong", right, wrong),
		opens("wrong, right", wrong, right),
	}
	if fmt.Sprint(seen) != "[true true false]" {
		os.Exit(1)
	}
}
GO
go run "$place/main.go"
