package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/internal/durable"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// A TokenStore keeps the grants of authorization servers, so that the user need not log in
// anew after a restart. Data holds tokens and secrets: keep it where only the user can read it,
// and log nothing of it. The methods are called concurrently, with a limit of ten seconds.
type TokenStore interface {
	// Load returns the data saved last for the server at an address, or nil. Damaged data
	// counts as none.
	Load(ctx context.Context, address string) ([]byte, error)
	// Save keeps data for the server at an address, in place of earlier data. Empty data
	// removes the earlier data.
	Save(ctx context.Context, address string, data []byte) error
}

const (
	maxTokenFile  = 1 << 20 // bytes
	tokenFilePerm = fs.FileMode(0o600)
)

// FileTokens returns a store that keeps one file for each server in a folder, with a lock beside it. The folder and
// its parents are made when something is first saved, for the user alone (0700), and so are
// the files (0600). A file is written whole or not at all. An empty folder is pegboard/mcp in
// [os.UserConfigDir].
func FileTokens(folder string) TokenStore { return fileTokens{folder} }

// fileTokens is a TokenStore of files.
type fileTokens struct{ folder string }

// file returns the file of an address. Its name does not tell the address.
func (s fileTokens) file(address string) (path string, f *durable.File[[]byte], err error) {
	folder := s.folder
	if folder == "" {
		config, err := os.UserConfigDir()
		if err != nil {
			return "", nil, err
		}
		folder = filepath.Join(config, "pegboard", "mcp")
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return "", nil, err
	}
	sum := sha256.Sum256([]byte(address))
	path = filepath.Join(realpath.Resolve(folder), hex.EncodeToString(sum[:16])+".json")
	same := func(data []byte) ([]byte, error) { return data, nil }
	return path, durable.New(path, durable.Format[[]byte]{MaxBytes: maxTokenFile, Decode: same, Encode: same}), nil
}

// Load reads the file of an address.
func (s fileTokens) Load(ctx context.Context, address string) ([]byte, error) {
	_, f, err := s.file(address)
	if err != nil {
		return nil, err
	}
	data, err := f.Load(ctx)
	if size := (*atomicfile.SizeError)(nil); errors.As(err, &size) {
		return nil, nil
	}
	return data, err
}

// Save writes the file of an address, or removes it if there is no data.
func (s fileTokens) Save(ctx context.Context, address string, data []byte) error {
	path, f, err := s.file(address)
	if err != nil {
		return err
	}
	if err := narrow(ctx, path, f); errors.Is(err, fs.ErrNotExist) && len(data) == 0 {
		return nil // there is nothing to remove
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(data) == 0 {
		return f.Remove(ctx)
	}
	_, err = f.Change(ctx, func([]byte) ([]byte, error) { return data, nil })
	return err
}

// narrow takes the rights of others from a file that is there, and removes one that is too large.
func narrow(ctx context.Context, path string, f *durable.File[[]byte]) error {
	info, err := os.Lstat(path)
	switch {
	case err != nil || !info.Mode().IsRegular():
		return err
	case info.Size() > maxTokenFile:
		return f.Remove(ctx)
	case info.Mode().Perm()&^tokenFilePerm != 0:
		return os.Chmod(path, tokenFilePerm)
	}
	return nil
}
