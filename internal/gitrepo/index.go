package gitrepo

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
)

// Limits on an index.
const (
	maxIndex = 256 << 20 // bytes
	maxName  = 64 << 10  // bytes of one path
)

// Modes of entries.
const (
	modeMask    = 0o170000
	modeGitlink = 0o160000
	modeSparse  = 0o040000
)

var errIndex = errors.New("it is not an index in a form that is known here")

// A gitlink is an index entry that may stand for another repository.
type gitlink struct {
	path   string // in the working tree, with slashes
	sparse bool   // it is a sparse directory instead, which stands for the entries in it
}

// gitlinks returns the gitlinks of the index in the folder of a repository. hash is the
// size of an object name in bytes.
func gitlinks(folder string, hash int) ([]gitlink, error) {
	links, base, err := readIndex(filepath.Join(folder, "index"), hash)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil || base == "" {
		return links, err
	}
	// Most entries of a split index are in another file.
	more, next, err := readIndex(filepath.Join(folder, "sharedindex."+base), hash)
	if err == nil && next != "" {
		err = errIndex
	}
	return append(links, more...), err
}

func readIndex(name string, hash int) (links []gitlink, base string, err error) {
	f, err := open(name)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = f.Close() }()
	r := indexReader{from: bufio.NewReaderSize(io.LimitReader(f, maxIndex), 64<<10), hash: hash}
	links, base, err = r.read()
	if err != nil {
		return nil, "", fmt.Errorf("%s cannot be understood: %w", name, err)
	}
	return links, base, nil
}

// An indexReader reads the format of gitformat-index(5), versions 2 to 4.
type indexReader struct {
	from    *bufio.Reader
	hash    int
	version uint32
	path    []byte // path of the last entry
}

func (r *indexReader) read() (links []gitlink, base string, err error) {
	n, err := r.header()
	if err != nil {
		return nil, "", err
	}
	for range n {
		mode, err := r.entry()
		if err != nil {
			return nil, "", err
		}
		if kind := mode & modeMask; kind == modeGitlink || kind == modeSparse {
			if len(r.path) == 0 {
				return nil, "", errIndex // its name is in the shared part of a split index
			}
			links = append(links, gitlink{path: string(r.path), sparse: kind == modeSparse})
		}
	}
	base, err = r.extensions()
	return links, base, err
}

// header reads the header and returns the number of entries.
func (r *indexReader) header() (entries uint32, err error) {
	head, err := r.bytes(12)
	if err != nil || string(head[:4]) != "DIRC" {
		return 0, errIndex
	}
	r.version = binary.BigEndian.Uint32(head[4:])
	if r.version < 2 || r.version > 4 {
		return 0, errIndex
	}
	return binary.BigEndian.Uint32(head[8:]), nil
}

// entry reads an entry into r.path and returns its mode.
func (r *indexReader) entry() (mode uint32, err error) {
	const stat = 40 // times, device, inode, mode, owner, size
	fixed, err := r.bytes(stat + r.hash + 2)
	if err != nil {
		return 0, err
	}
	mode = binary.BigEndian.Uint32(fixed[24:])
	size := len(fixed)
	if extended := fixed[len(fixed)-2]&0x40 != 0; extended {
		if r.version < 3 {
			return 0, errIndex
		}
		if _, err := r.bytes(2); err != nil {
			return 0, err
		}
		size += 2
	}
	keep := 0
	if r.version == 4 {
		drop, err := r.offset()
		if err != nil || drop > len(r.path) {
			return 0, errIndex
		}
		keep = len(r.path) - drop
	}
	r.path = r.path[:keep]
	for {
		b, err := r.from.ReadByte()
		if err != nil || len(r.path) > maxName {
			return 0, errIndex
		}
		size++
		if b == 0 {
			break
		}
		r.path = append(r.path, b)
	}
	if r.version < 4 {
		// Entries are padded with zeros to multiples of eight bytes; one zero is read
		// already.
		if _, err := r.from.Discard((8 - size%8) % 8); err != nil {
			return 0, errIndex
		}
	}
	return mode, nil
}

// offset reads a number of variable length.
func (r *indexReader) offset() (int, error) {
	n := 0
	for i := 0; ; i++ {
		b, err := r.from.ReadByte()
		if err != nil || n > maxName {
			return 0, errIndex
		}
		n += int(b & 0x7f)
		if b&0x80 == 0 {
			return n, nil
		}
		n = (n + 1) << 7
	}
}

// extensions reads the extensions between the entries and the checksum. It returns the
// name of the shared index if this one is split.
func (r *indexReader) extensions() (base string, err error) {
	for {
		if rest, _ := r.from.Peek(r.hash + 1); len(rest) <= r.hash {
			return base, nil // only the checksum is left
		}
		head, err := r.bytes(8)
		if err != nil {
			return "", err
		}
		size := int64(binary.BigEndian.Uint32(head[4:]))
		if string(head[:4]) == "link" && size >= int64(r.hash) {
			name, err := r.bytes(r.hash)
			if err != nil {
				return "", err
			}
			size -= int64(r.hash)
			base = hex.EncodeToString(name)
			if allZero(name) {
				base = ""
			}
		}
		if _, err := io.CopyN(io.Discard, r.from, size); err != nil {
			return "", errIndex
		}
	}
}

// bytes returns the next n bytes.
func (r *indexReader) bytes(n int) ([]byte, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(r.from, b); err != nil {
		return nil, errIndex
	}
	return b, nil
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
