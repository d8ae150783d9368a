// Reads a public log with golang.org/x/mod: read_log URL VKEY [PROOF_FILE ...]. It shares no code with the platform.
//
// Every entry must be in the tree of the signed checkpoint, the tree must continue each earlier size, and each proof
// file must prove its entry. Prints the size of the log.
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const height = 8

func main() {
	verifier, err := note.NewVerifier(os.Args[2])
	check(err)
	log := os.Args[1]
	tree := open(get(log+"/checkpoint"), verifier)
	hashes := tlog.TileHashReader(tree, tiles{log})

	root, err := tlog.TreeHash(tree.N, hashes)
	check(err)
	demand(root == tree.Hash, "the root is another one")
	for index, entry := range entries(log, tree.N) {
		proof, err := tlog.ProveRecord(tree.N, int64(index), hashes)
		check(err)
		check(tlog.CheckRecord(proof, tree.N, tree.Hash, int64(index), tlog.RecordHash(entry)))
	}
	for size := int64(1); size <= tree.N; size++ {
		earlier, err := tlog.TreeHash(size, hashes)
		check(err)
		proof, err := tlog.ProveTree(tree.N, size, hashes)
		check(err)
		check(tlog.CheckTree(proof, tree.N, tree.Hash, size, earlier))
	}
	for _, path := range os.Args[3:] {
		file, err := os.ReadFile(path)
		check(err)
		checkProof(file, verifier)
	}
	fmt.Println(tree.N)
}

// open verifies the signature of the log; those of others, such as witnesses, are left alone.
func open(checkpoint []byte, verifier note.Verifier) tlog.Tree {
	opened, err := note.Open(checkpoint, note.VerifierList(verifier))
	check(err)
	lines := strings.Split(opened.Text, "\n")
	demand(lines[0] == verifier.Name(), "another origin")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	check(err)
	hash, err := tlog.ParseHash(lines[2])
	check(err)
	return tlog.Tree{N: size, Hash: hash}
}

// checkProof checks a file of c2sp.org/tlog-proof, whose extra is the entry.
func checkProof(file []byte, verifier note.Verifier) {
	head, checkpoint, found := bytes.Cut(file, []byte("\n\n"))
	demand(found, "no checkpoint")
	tree := open(checkpoint, verifier)
	lines := strings.Split(string(head), "\n")
	demand(lines[0] == "c2sp.org/tlog-proof@v1", "no proof")
	entry, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(lines[1], "extra "))
	check(err)
	index, err := strconv.ParseInt(strings.TrimPrefix(lines[2], "index "), 10, 64)
	check(err)
	var proof tlog.RecordProof
	for _, line := range lines[3:] {
		hash, err := tlog.ParseHash(line)
		check(err)
		proof = append(proof, hash)
	}
	check(tlog.CheckRecord(proof, tree.N, tree.Hash, index, tlog.RecordHash(entry)))
}

type tiles struct{ log string }

func (tiles) Height() int { return height }

// ReadTiles reads them below /tile/, where c2sp.org/tlog-tiles leaves out the height.
func (t tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	var found [][]byte
	for _, tile := range wanted {
		found = append(found, get(t.log+"/"+strings.Replace(tile.Path(), "tile/8/", "tile/", 1)))
	}
	return found, nil
}

func (tiles) SaveTiles([]tlog.Tile, [][]byte) {}

// entries reads the bundles.
func entries(log string, size int64) [][]byte {
	var all [][]byte
	for first := int64(0); first < size; first += 1 << height {
		tile := tlog.Tile{H: height, L: 0, N: first >> height, W: int(min(size-first, 1<<height))}
		path := strings.Replace(tile.Path(), "tile/8/0/", "tile/entries/", 1)
		for bundle := get(log + "/" + path); len(bundle) > 0; {
			end := 2 + int(binary.BigEndian.Uint16(bundle))
			all = append(all, bundle[2:end])
			bundle = bundle[end:]
		}
	}
	demand(int64(len(all)) == size, "the bundles have another number of entries")
	return all
}

func min(a, b int64) int64 {
	if a < b {
		return a
	}
	return b
}

func get(url string) []byte {
	answer, err := http.Get(url)
	check(err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	check(err)
	demand(answer.StatusCode == http.StatusOK, url+": "+answer.Status)
	return body
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func demand(holds bool, otherwise string) {
	if !holds {
		check(fmt.Errorf("%s", otherwise))
	}
}
