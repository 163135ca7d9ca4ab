package mcp

//lint:file-ignore SA1019 the newest version of the protocol deprecates roots; servers of older ones use them

import (
	"net/url"
	"path/filepath"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// setRoots tells the server the working directories, if they have changed. It waits for the
// server.
func (c *connection) setRoots(dirs []string) {
	c.mu.Lock()
	before := c.roots
	c.roots = dirs
	c.mu.Unlock()
	var gone []string
	for _, root := range rootsOf(before) {
		if !slices.ContainsFunc(rootsOf(dirs), func(r *mcp.Root) bool { return r.URI == root.URI }) {
			gone = append(gone, root.URI)
		}
	}
	if len(gone) > 0 {
		c.client.RemoveRoots(gone...)
	}
	if !slices.Equal(before, dirs) {
		c.client.AddRoots(rootsOf(dirs)...)
	}
}

// rootsOf returns the roots of the protocol for directories.
func rootsOf(dirs []string) []*mcp.Root {
	roots := make([]*mcp.Root, len(dirs))
	for i, dir := range dirs {
		path := filepath.ToSlash(dir)
		if path[0] != '/' { // a drive letter
			path = "/" + path
		}
		roots[i] = &mcp.Root{Name: filepath.Base(dir), URI: (&url.URL{Scheme: "file", Path: path}).String()}
	}
	return roots
}
