package results

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// DefaultMaxBytes is the number of bytes of a result that one call shows. A result of
// this size is not stored.
const DefaultMaxBytes = pegboard.DefaultPerResult

// ReadMoreHint is the [pegboard.ResultLimits] text that tells a model to read on with
// Read.
const ReadMoreHint = "read on with ReadResult (ref is the name of that file, offset is in bytes), or let it find the place with pattern"

// Options change [Read]. The zero value works.
type Options struct {
	// MaxBytes is the number of bytes that a call shows at most, and if it names no
	// limit; 0 means DefaultMaxBytes.
	MaxBytes int
}

type readInput struct {
	Ref     string `json:"ref" jsonschema:"minLength=1" jsonschema_description:"Which result: the name or the path that its notice gives, exactly as it stands there"`
	Offset  int64  `json:"offset,omitempty" jsonschema:"minimum=0" jsonschema_description:"The first byte to show or to search (default 0)"`
	Limit   int    `json:"limit,omitempty" jsonschema:"minimum=0" jsonschema_description:"How many bytes to show, if the default is too many"`
	Pattern string `json:"pattern,omitempty" jsonschema:"maxLength=1000" jsonschema_description:"A regular expression (RE2). Only lines that match it are shown, each behind its offset and a colon."`
}

func (in readInput) lines(*pegboard.Call) pegboard.Summary {
	name := in.Ref[strings.LastIndexAny(in.Ref, `/\`)+1:]
	if in.Pattern != "" {
		return pegboard.Summary{Before: "Search " + name + " for " + in.Pattern, While: "Searching " + name + " for " + in.Pattern}
	}
	return pegboard.Summary{Before: "Read " + name, While: "Reading " + name}
}

func validateInput(_ context.Context, in readInput, _ *pegboard.Call) error {
	_, err := in.regexp()
	return err
}

func (in readInput) regexp() (*regexp.Regexp, error) {
	pattern, err := regexp.Compile(in.Pattern)
	if err != nil {
		return nil, fmt.Errorf("pattern is no regular expression that RE2 knows; mend it, or escape what is meant literally: %w", err)
	}
	return pattern, nil
}

// Read returns the tool ReadResult, which shows a stored result page by page, or the
// lines of it that match a pattern.
//
// A page ends with a whole line if that leaves it at least half full, otherwise with
// a whole character. The first line of the answer is a notice with the range of bytes
// and lines, and the offset of the next page; the pages that follow one another in
// this way contain the whole text. Each run of bytes that are not UTF-8 is shown as
// U+FFFD, and so is a NUL. The answer is never stored.
//
// If the store's reader is an [io.Seeker], the bytes far before the offset are not
// read. A search shows only the part around each match of a line over 1,000 bytes. It
// divides a line over 64 KiB into pieces that overlap by 1 KiB: a ^ may match at the
// start of a piece, and a match longer than the overlap may be missed.
//
// A call needs no permission unless a rule or the mode says so: it only reads results
// of tools of the conversation.
func Read(o Options) pegboard.Tool {
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	return pegboard.Build(pegboard.Definition[readInput, Output]{
		Info: pegboard.Info{Name: "ReadResult", Title: "Read result", Hint: "page through long stored tool output", MaxResult: -1},
		Description: fmt.Sprintf("Reads on in a result that was too long to show, of which a notice says where it is kept. "+
			"Shows %d bytes at most in one call, from offset on; the first line says which, and where to go on. "+
			"With a pattern it shows the lines that match.", o.MaxBytes),
		Traits: pegboard.Traits{
			ReadOnly: true, Concurrency: pegboard.Shared, Kind: pegboard.KindRead,
			Targets: []policy.Target{{Kind: policy.Resource, Access: policy.Read, Value: "stored results"}},
		},
		Summary:  readInput.lines,
		Validate: validateInput,
		Permit: func(context.Context, readInput, *pegboard.Call) policy.Decision {
			return policy.Decision{Behavior: policy.Allow, Reason: "it reads only results of this conversation"}
		},
		Call: o.read,
		Result: func(out Output) *pegboard.Result {
			text := out.notice
			if out.Content != "" {
				text += "\n" + out.Content
			}
			return &pegboard.Result{Parts: []pegboard.Part{{Text: text}}, Data: out, Line: out.line(), SearchText: out.Content, Value: out.value}
		},
	})
}

func (o Options) read(ctx context.Context, in readInput, c *pegboard.Call) (Output, error) {
	pattern, err := in.regexp()
	if err != nil {
		return Output{}, err
	}
	if c.Session() == nil {
		return Output{}, fmt.Errorf("%w: ReadResult runs in a session only; give the call to an Executor", pegboard.ErrDenied)
	}
	stored, ref, err := openResult(ctx, c.Session().ResultStore(), in.Ref)
	if err != nil {
		return Output{}, err
	}
	defer func() { _ = stored.Close() }()
	if c.Parent() != nil {
		o.MaxBytes = pegboard.MaxInMemory
	}
	limit := o.MaxBytes
	if in.Limit > 0 {
		limit = min(in.Limit, limit)
	}
	out := Output{Ref: ref, Offset: in.Offset}
	r, err := newResultReader(ctx, stored, in.Offset)
	switch {
	case err != nil:
	case r.atEnd:
		out.setEmpty(r)
	case in.Pattern != "":
		err = out.search(ctx, r, pattern, limit)
	default:
		err = out.readPage(r, max(limit, utf8.UTFMax))
	}
	if err != nil && ctx.Err() != nil {
		return Output{}, context.Cause(ctx)
	}
	if err != nil {
		return Output{}, fmt.Errorf("the store has an error in result %q behind byte %d; ask for less than that, or run again the tool that it came from: %w", ref, r.pos, err)
	}
	if c.Parent() != nil {
		out.setValue(c.Session().ResultStore(), in.Limit == 0 && in.Pattern == "")
	}
	return out, nil
}

// openResult opens the result that the model names by its reference or by the path of
// its file.
func openResult(ctx context.Context, store pegboard.ResultStore, name string) (r io.ReadCloser, ref string, err error) {
	names := []string{name}
	if base := name[strings.LastIndexAny(name, `/\`)+1:]; base != name && base != "" {
		names = append(names, base)
	}
	var openErr error
	for _, ref := range names {
		r, err := store.Open(ctx, ref)
		if err == nil {
			return r, ref, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			openErr = err
		}
	}
	switch {
	case ctx.Err() != nil:
		return nil, "", context.Cause(ctx)
	case openErr != nil:
		return nil, "", fmt.Errorf("the store cannot open result %q; try once more, and otherwise run again the tool that it came from: %w", name, openErr)
	}
	return nil, "", fmt.Errorf("no result is kept under %q. Send the name or path exactly as its notice gives it. "+
		"If you did, the result was old and has made room for others: run again the tool that it came from, with a narrower request", name)
}
