package pegboard

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// A place is where a session works: its directories, and what its paths and the anchors of
// its rules refer to. It never changes, but for the readable directories. [Session.SetDir]
// gives the session another one; each call keeps that in which it is decided.
type place struct {
	pathResolver
	own      []workDir      // the session's own working directories; the first is pathResolver.dir
	made     workDir        // that the session was made in
	left     []workDir      // that the session has moved out of; its forks keep theirs inside
	anchors  []pattern.Base // of the rules that are added here, under every spelling of dir
	also     []pattern.Base // what deny and ask rules also hold as if anchored on, after SetDir
	readable *readableDirs  // shared by all agents of a conversation
}

// newPlace resolves directories, of which the first is the working directory. An empty
// home means the user's.
func newPlace(dirs []string, home string, platform Platform, readable *readableDirs) (*place, error) {
	p := &place{readable: readable}
	for _, dir := range dirs {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, fmt.Errorf("working directory %s: %w", dir, err)
		}
		d, err := newWorkDir(abs)
		if err != nil {
			return nil, err
		}
		p.own = append(p.own, d)
	}
	if home == "" {
		home, _ = os.UserHomeDir() // if there is none, "~" stands for itself
	}
	p.made = p.own[0]
	p.pathResolver = pathResolver{dir: p.made.spelled, home: home, platform: platform.pattern(), platformName: platform.String()}
	p.anchors = p.bases()
	return p, nil
}

// in returns the place of the same session in another directory of its own.
func (p *place) in(d workDir) *place {
	q := *p
	q.own = slices.Concat([]workDir{d}, p.own[1:])
	if !p.own[0].isWithin(p.left) {
		q.left = slices.Concat(p.left, p.own[:1])
	}
	q.dir = d.spelled
	q.anchors = q.bases()
	q.also = q.anchors
	return &q
}

// inherit makes p, of a fork, hold what its parent's place holds.
func (p *place) inherit(parent *place) {
	if parent.also == nil {
		return
	}
	p.also = slices.Clone(parent.also)
	for _, b := range p.anchors {
		if !slices.Contains(p.also, b) {
			p.also = append(p.also, b)
		}
	}
}

// bases are the directories that the anchors of path rules refer to, under every
// spelling of the working directory.
func (p *place) bases() []pattern.Base {
	d, home := p.own[0], ""
	if p.home != "" {
		home = realpath.Resolve(p.home)
	}
	bs := []pattern.Base{{Dir: d.spelled, Root: d.spelled, Home: p.home, Platform: p.platform}}
	if d.real != d.spelled || home != p.home {
		bs = append(bs, pattern.Base{Dir: d.real, Root: d.real, Home: home, Platform: p.platform})
	}
	return bs
}

// shortPath returns path relative to the working directory if it is absolute and lies there.
func (p *place) shortPath(path string) string {
	if filepath.IsAbs(path) {
		if rel, err := filepath.Rel(p.dir, path); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return path
}
