package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/netguard"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
	"github.com/seed49eaa51d/pegboard/tools/internal/webtext"
)

// errLate is the cause of a context whose time is over.
var errLate = errors.New("the time of the call is over")

// failedSize is how many characters of the page of a failure are shown.
const failedSize = 2_000

// word sets the texts of a result. Limited ends with the time of the call.
func (f *fetch) word(ctx, limited context.Context, in fetchInput, c *pegboard.Call, d *document, out *Fetched) (err error) {
	switch {
	case d.redirect != "":
		out.Result = d.redirected()
	case d.code >= http.StatusBadRequest:
		out.Result = d.failed()
	case d.kind == webtext.Image:
		out.Result = fmt.Sprintf("%s is an image (%s, %d bytes).", shownURL(d.url), d.mediaType, d.bytes)
		out.image = &pegboard.Part{MIME: d.mediaType, Data: d.body}
	case d.kind == webtext.Other:
		out.Result, err = d.store(ctx, c)
	case d.size == 0:
		out.Result = shownURL(d.url) + " has no text."
	default:
		out.Result, err = f.text(ctx, limited, in, c, d)
	}
	if d.problem != "" && err == nil {
		out.Result = d.problem + "\n" + out.Result
	}
	return err
}

// text returns a part of a document, or the answer of the host's model from it.
func (f *fetch) text(ctx, limited context.Context, in fetchInput, c *pegboard.Call, d *document) (string, error) {
	page, err := newPage(d, in.Offset, f.options.PageSize)
	if err != nil || f.options.Answer == nil {
		return page.String(), err
	}
	asked, err := newPage(d, in.Offset, f.options.AnswerSize)
	if err != nil {
		return "", err
	}
	answer, err := f.answer(limited, c.Session(), asked, in.Prompt)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return fmt.Sprintf("There is no answer to the prompt (%s), so the page itself follows.\n%v", shortened(untrusted.Escape(pegboard.OneLine(err.Error()))), page), nil
	}
	line := fmt.Sprintf("A model's answer from %s (%s), %s", shownURL(d.url), d.mediaType, asked.extent())
	if end := asked.end(); end < asked.Size {
		line += fmt.Sprintf("; offset %d asks about the rest", end)
	}
	if begin := answer[:bytesOf(answer, f.options.PageSize)]; begin != answer {
		line += fmt.Sprintf("; it is long, and only its first %d characters of %d follow", f.options.PageSize, utf8.RuneCountInString(answer))
		answer = begin
	}
	return line + ":\n" + untrusted.Quote(pageTag, answer), nil
}

// answer asks the host's model, and waits no longer than ctx.
func (f *fetch) answer(ctx context.Context, s *pegboard.Session, p Page, prompt string) (string, error) {
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	type reply struct {
		text string
		err  error
	}
	replies := make(chan reply, 1)
	done := goroutine.Go(func() {
		text, err := f.options.Answer(ctx, s, p, prompt)
		replies <- reply{text, err}
	})
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case crash := <-done:
		if crash != nil {
			return "", crash
		}
	}
	r := <-replies
	if r.err == nil && strings.TrimSpace(r.text) == "" {
		r.err = errors.New("it is empty")
	}
	return r.text, r.err
}

// redirected words a redirect that was not followed.
func (d *document) redirected() string {
	if len(d.redirect) > maxURL {
		return fmt.Sprintf("%s redirects to an address of %d bytes, and at most %d are sent; it begins with %s", shownURL(d.url), len(d.redirect), maxURL, shownURL(d.redirect))
	}
	return fmt.Sprintf("%s redirects to %s; call again with that address if you want it.", shownURL(d.url), untrusted.Escape(d.redirect))
}

// failed words an answer with the status of a failure.
func (d *document) failed() string {
	text := fmt.Sprintf("The request failed: %s answers %d", shownURL(d.url), d.code)
	if standard := http.StatusText(d.code); standard != "" {
		text += " " + standard + "."
	} else {
		text += ", which it calls:\n" + untrusted.Quote(pageTag, d.codeText) + "\n"
	}
	page, err := newPage(d, 0, failedSize)
	if err != nil || page.Text == "" {
		return strings.TrimSpace(text)
	}
	if page.end() < page.Size {
		text += fmt.Sprintf(" Its page begins with %d of %d characters:", page.end(), page.Size)
	} else {
		text += " Its page:"
	}
	return text + "\n" + untrusted.Quote(pageTag, page.Text)
}

// store keeps the body of a document that is not shown.
func (d *document) store(ctx context.Context, c *pegboard.Call) (string, error) {
	text := fmt.Sprintf("%s is no text (%s, %d bytes)", shownURL(d.url), d.mediaType, d.bytes)
	if d.bytes == 0 {
		return text + ", and it is empty.", nil
	}
	stored, err := c.StoreRaw(ctx, d.mediaType, bytes.NewReader(d.body))
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil:
		return text + ", and it could not be stored: " + err.Error(), nil //nolint:nilerr // the model reads what else is known
	case stored.Path == "":
		return text + ". It is stored as it came, as " + stored.Ref + ".", nil
	}
	text += ". It is stored as it came: " + stored.Path + "\n"
	if _, ok := c.Pool().Lookup("Read"); ok && d.mediaType == "application/pdf" {
		return text + "Open it with Read, and with pages if it is long.", nil
	}
	return text + "Open that file with a program for files of its type.", nil
}

// failure words an error for the model. The error of the network stays in the chain. Limited is
// the part of ctx that ends with the time of the call.
func (f *fetch) failure(ctx, limited context.Context, u *netguard.URL, err error) error {
	var inner *url.Error
	for errors.As(err, &inner) { // its text repeats the address and the method
		err = inner.Err
	}
	if redirect, ok := errors.AsType[*redirectError](err); ok {
		return untrusted.Err(redirect)
	}
	if refusal, ok := errors.AsType[*netguard.RefusalError](err); ok {
		return &answeredError{text: untrusted.Escape(refusal.Error()), err: err}
	}
	name := shownURL(u.String())
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, pegboard.ErrDenied), errors.As(err, new(*notAllowedError)):
		return untrusted.Err(err)
	case errors.Is(context.Cause(limited), errLate):
		return &answeredError{text: fmt.Sprintf("%s did not answer within %v; try another address, or again later", name, f.options.Timeout), err: err}
	case errors.Is(err, context.DeadlineExceeded): // of a lookup, a connection or the header
		return &answeredError{text: fmt.Sprintf("%s did not answer in time (%v); try another address, or again later", name, err), err: err}
	}
	text := name + " cannot be fetched"
	if u.Scheme == "https" {
		text += " (WebFetch uses https only, also where the address said http)"
	}
	if words := shortened(err.Error()); quotesServer(err) {
		text += ". The error may quote the server:\n" + untrusted.Quote(pageTag, words)
	} else {
		text += ": " + untrusted.Escape(words)
	}
	return &answeredError{text: text, err: err}
}

// quotesServer reports whether the text of an error may contain words that a server sent.
func quotesServer(err error) bool {
	switch {
	case errors.As(err, new(*net.OpError)), errors.As(err, new(*net.DNSError)), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return false
	}
	return true
}

// answeredError is an error with a text for the model.
type answeredError struct {
	text string
	err  error
}

func (e *answeredError) Error() string { return e.text }
func (e *answeredError) Unwrap() error { return e.err }
