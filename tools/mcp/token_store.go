package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
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
	tokenTries    = 5       // to replace a file that other processes replace as well
	tokenFilePerm = fs.FileMode(0o600)
	tokenDirPerm  = fs.FileMode(0o700)
)

// FileTokens returns a store that keeps one file for each server in a folder. The folder and
// its parents are made when something is first saved, for the user alone (0700), and so are
// the files (0600). A file is written whole or not at all. An empty folder is pegboard/mcp in
// [os.UserConfigDir].
func FileTokens(folder string) TokenStore { return &fileTokens{folder: folder} }

// fileTokens is a TokenStore of files.
type fileTokens struct {
	folder string
	files  atomicfile.Store
}

// path returns the file of an address. Its name does not tell the address.
func (s *fileTokens) path(address string) (string, error) {
	folder := s.folder
	if folder == "" {
		config, err := os.UserConfigDir()
		if err != nil {
			return "", err
		}
		folder = filepath.Join(config, "pegboard", "mcp")
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	sum := sha256.Sum256([]byte(address))
	return filepath.Join(folder, hex.EncodeToString(sum[:16])+".json"), nil
}

// Load reads the file of an address.
func (s *fileTokens) Load(ctx context.Context, address string) ([]byte, error) {
	path, err := s.path(address)
	if err != nil {
		return nil, err
	}
	snapshot, err := s.files.Load(ctx, path, maxTokenFile)
	var size *atomicfile.SizeError
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.As(err, &size):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return snapshot.Data, nil
}

// Save writes the file of an address, or removes it if there is no data.
func (s *fileTokens) Save(ctx context.Context, address string, data []byte) error {
	path, err := s.path(address)
	if err != nil {
		return err
	}
	if len(data) > 0 {
		if err := os.MkdirAll(filepath.Dir(path), tokenDirPerm); err != nil {
			return err
		}
		if path, err = s.path(address); err != nil { // the folder may be a link's target now
			return err
		}
	}
	unlock, err := s.files.Lock(ctx, path)
	if err != nil {
		return err
	}
	defer unlock()
	for range tokenTries {
		if err = s.write(ctx, path, data); !errors.Is(err, atomicfile.ErrChanged) && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return fmt.Errorf("other processes keep writing the file: %w", err)
}

func (s *fileTokens) write(ctx context.Context, path string, data []byte) error {
	if len(data) == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		_, err = s.files.Create(ctx, path, data, tokenFilePerm)
		return durable(err)
	case err != nil:
		return err
	case info.Mode().IsRegular() && info.Size() > maxTokenFile:
		if err := os.Remove(path); err != nil {
			return err
		}
		return s.write(ctx, path, data)
	case info.Mode().IsRegular() && info.Mode().Perm()&^tokenFilePerm != 0:
		if err := os.Chmod(path, tokenFilePerm); err != nil {
			return err
		}
	}
	snapshot, err := s.files.Load(ctx, path, maxTokenFile)
	if err != nil {
		return err
	}
	_, err = snapshot.Replace(ctx, data)
	return durable(err)
}

// durable accepts a file that a loss of power could undo: the user would log in anew.
func durable(err error) error {
	if errors.Is(err, atomicfile.ErrNotSynced) {
		return nil
	}
	return err
}
