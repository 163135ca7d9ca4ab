package pegboard

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// Fingerprints identify the definitions of external tools that rules and users could mean: by
// source and by the tool's name there, a hash of its description, schemas and annotations,
// and of Info.RequiresUser. The title of a tool and the rest of its _meta are left out: no rule
// is about them. The text of a hash means nothing; compare it with others of this library
// only.
type Fingerprints map[string]map[string]string

// clone returns a copy that is never nil.
func (f Fingerprints) clone() Fingerprints {
	c := make(Fingerprints, len(f))
	for source, tools := range f {
		c[source] = maps.Clone(tools)
	}
	return c
}

// fingerprintOf returns the fingerprint of a definition.
func fingerprintOf(d *Declaration, i *Info) string {
	parts := []string{d.Description, string(d.InputSchema), string(d.OutputSchema), i.annotations}
	if i.RequiresUser {
		// Only then: fingerprints that were kept before this was one of the parts stay valid.
		parts = append(parts, "requires user")
	}
	text, _ := json.Marshal(parts) // strings have no error
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// maxFingerprints is how many tools of one source are remembered. If there are more, those
// that the source does not offer any more are forgotten.
const maxFingerprints = 10_000

// knownDefinitions are the definitions of external tools that rules may mean. The zero value
// is empty. All methods may be called concurrently.
type knownDefinitions struct {
	mu     lock.Mutex
	hashes Fingerprints
}

func (k *knownDefinitions) all() Fingerprints {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.hashes.clone()
}

func (k *knownDefinitions) add(more Fingerprints) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for source, tools := range more {
		maps.Copy(k.of(source), tools)
	}
}

// of returns the fingerprints of a source. The caller holds the lock.
func (k *knownDefinitions) of(source string) map[string]string {
	if k.hashes == nil {
		k.hashes = Fingerprints{}
	}
	if k.hashes[source] == nil {
		k.hashes[source] = map[string]string{}
	}
	return k.hashes[source]
}

// compare returns a redefinition for each tool that a source offers now with another
// definition than the known one. Those of new tools are known from now on.
func (k *knownDefinitions) compare(source string, offered map[string]string) map[string]*redefinition {
	k.mu.Lock()
	defer k.mu.Unlock()
	known := k.of(source)
	if len(known)+len(offered) > maxFingerprints {
		maps.DeleteFunc(known, func(tool, _ string) bool { return offered[tool] == "" })
	}
	redefined := map[string]*redefinition{}
	for tool, hash := range offered {
		if before, ok := known[tool]; !ok {
			known[tool] = hash
		} else if before != hash {
			redefined[tool] = &redefinition{known: k, source: source, tool: tool, hash: hash}
		}
	}
	return redefined
}

// A redefinition is a definition of a tool that is not the known one.
type redefinition struct {
	known              *knownDefinitions
	source, tool, hash string
	approved           atomic.Bool
}

// isPending reports whether no user has approved the definition. A nil redefinition needs no
// approval.
func (d *redefinition) isPending() bool { return d != nil && !d.approved.Load() }

// approve makes the definition the known one.
func (d *redefinition) approve() {
	if d.isPending() {
		d.approved.Store(true)
		d.known.add(Fingerprints{d.source: {d.tool: d.hash}})
	}
}
