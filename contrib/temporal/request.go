package temporal

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// wireVersion is the version of the messages between host, workflow and activity.
const wireVersion = 1

// The names under which a worker registers itself. The version is part of them, so that workers
// of two versions can serve one queue.
const (
	workflowName = "pegboard.Call.v1"
	activityName = "pegboard.Run.v1"
	stopSignal   = "stop"
	causeQuery   = "cause"
)

// A request is a call on its way to a worker: the argument of the workflow and of the activity.
type request struct {
	Version    int         `json:"version"`
	Session    Description `json:"session"`
	CallID     string      `json:"call_id"`
	Tool       string      `json:"tool"` // as the model has written it
	ToolDigest string      `json:"tool_digest"`
	Digest     string      `json:"digest"` // of the call, see digestOf
	Input      parcel      `json:"input"`
	Plan       plan        `json:"plan"`
}

// A plan says how the engine runs the call.
type plan struct {
	StartWithin time.Duration `json:"start_within"`
	RunWithin   time.Duration `json:"run_within"`
	Heartbeat   time.Duration `json:"heartbeat"` // without one for so long, the worker is lost
	Attempts    int           `json:"attempts"`  // of the activity
	Delay       time.Duration `json:"delay"`
	MaxDelay    time.Duration `json:"max_delay"`

	ToolAttempts int           `json:"tool_attempts"` // after failures of the tool's transport
	ToolMaxDelay time.Duration `json:"tool_max_delay"`
}

// An answer is the result of the workflow.
type answer struct {
	Version  int         `json:"version"`
	Digest   string      `json:"digest"` // of the request
	Failure  failureKind `json:"failure,omitempty"`
	Text     string      `json:"text,omitempty"` // of the failure
	Attempts int         `json:"attempts,omitempty"`
	Reply    parcel      `json:"reply,omitzero"` // a pegboard.CallReply
}

// A performed is the result of the activity.
type performed struct {
	Attempt int    `json:"attempt"`
	Reply   parcel `json:"reply"`
}

// A failureKind says why the workflow has no reply of the tool.
type failureKind string

// The kinds. They are the types of the activity's errors, too.
const (
	failedToolVersion failureKind = "toolVersion"
	failedVersion     failureKind = "version"
	failedPool        failureKind = "pool"
	failedStore       failureKind = "store"
	failedTransport   failureKind = "transport" // of the tool, which is attempted again
	failedNoWorker    failureKind = "noWorker"
	failedStopped     failureKind = "stopped" // before a worker had taken it, or by a person
	failedLost        failureKind = "lost"
)

// A progress is the detail of a heartbeat.
type progress struct {
	Attempt int             `json:"attempt"`
	Count   int             `json:"count"` // of the reports so far
	Text    string          `json:"text"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// digestOf returns a digest that tells calls with the same id apart, by the tool, its definition
// and the bytes of the input.
func digestOf(tool, definition string, input []byte) string {
	return hashOf(tool, definition, string(input))
}

// hashOf returns 40 hexadecimal digits.
func hashOf(parts ...string) string {
	text, _ := json.Marshal(parts) // strings have no error
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:20])
}

// checkVersion returns an error for a message that this version of the package cannot read.
func checkVersion(version int) error {
	if version != wireVersion {
		return fmt.Errorf("%w: %d; this one reads version %d", ErrVersion, version, wireVersion)
	}
	return nil
}

// MaxInline is how many bytes of an input or a result are sent through Temporal, which refuses
// more than 2 MiB and warns of more than 512 KiB. They are encoded in base64, and a result is
// twice in the history.
const MaxInline = 256 << 10

// A parcel is bytes on their way, or where the store of the session has them.
type parcel struct {
	Bytes []byte `json:"bytes,omitempty"`
	Ref   string `json:"ref,omitempty"`
	Size  int64  `json:"size,omitempty"` // of the bytes under Ref
}

// pack returns a parcel of b. CallID names its call in the store.
func pack(ctx context.Context, store pegboard.ResultStore, callID string, b []byte) (parcel, error) {
	if len(b) <= MaxInline {
		return parcel{Bytes: b}, nil
	}
	stored, err := store.Put(ctx, callID, "application/json", bytes.NewReader(b))
	switch {
	case err != nil:
		return parcel{}, fmt.Errorf("%w: %d bytes could not be kept: %w", ErrStore, len(b), err)
	case stored.Size != int64(len(b)):
		return parcel{}, fmt.Errorf("%w: it keeps %d of %d bytes; raise its limit", ErrStore, stored.Size, len(b))
	}
	return parcel{Ref: stored.Ref, Size: stored.Size}, nil
}

// open returns the bytes of p.
func (p *parcel) open(ctx context.Context, store pegboard.ResultStore) ([]byte, error) {
	if p.Ref == "" {
		return p.Bytes, nil
	}
	r, err := store.Open(ctx, p.Ref)
	if err != nil {
		return nil, fmt.Errorf("%w: the host and its workers need a store that both can read: %w", ErrStore, err)
	}
	defer func() { _ = r.Close() }() // it was only read
	b, err := io.ReadAll(io.LimitReader(r, p.Size+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrStore, err)
	case int64(len(b)) != p.Size:
		return nil, fmt.Errorf("%w: it has %d bytes of %d", ErrStore, len(b), p.Size)
	}
	return b, nil
}
