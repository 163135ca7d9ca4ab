package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// backgroundTime returns when the call should go on in the background; 0 if it must not.
func (k *call) backgroundTime() time.Duration {
	after := k.connection.server.servers.options.Background
	interactive, known := pegboard.KeyInteractive.Get(k.session)
	main := k.session.Role() == pegboard.RoleMain || k.session.Role() == pegboard.RoleCoordinator
	if after < 0 || k.owner == nil || k.owner.Parent() != nil || !main || known && !interactive {
		return 0
	}
	return after
}

// moveToBackground makes a task of the call and returns the result that the model gets now.
// It is nil if the call cannot go on in the background.
func (k *call) moveToBackground() *pegboard.Result {
	if !k.decoding.TryLock() {
		return nil // the answer is there
	}
	defer k.decoding.Unlock()
	tasks := background.Of(k.session)
	file, err := tasks.NewFile("mcp")
	if err != nil {
		return nil
	}
	server := k.connection.server.config.Name
	h, err := tasks.Add(k.session, background.Work{
		Kind: "mcp", Description: fmt.Sprintf("%s of the MCP server %s", untrusted.Escape(k.tool), server),
		Command: k.owner.ToolName(), OutputFile: file, Started: k.started, Stop: k.cancel,
	})
	if err != nil {
		return nil
	}
	// The methods of the owner end with it.
	k.moved.Store(true)
	k.decoder.Store, k.decoder.Tell = storeInTasks(tasks), nil
	goroutine.Go(func() { k.superviseTask(h, file) })
	return &pegboard.Result{
		Line: "Goes on in the background as " + h.ID(),
		Parts: []pegboard.Part{{Text: fmt.Sprintf("The call has taken %v and goes on in the background.\nTask id: %s\nIts result will be in: %s\n"+
			"You are told of the end; do not poll. Go on with something else; TaskStop ends it.", time.Since(k.started).Round(time.Second), h.ID(), file)}},
	}
}

// superviseTask waits until the call has ended, writes its result into the file of the task
// and reports the end.
func (k *call) superviseTask(h *background.Handle, file string) {
	<-k.done
	err := k.err
	state := background.Completed
	switch {
	case err != nil:
		state = background.Failed // Done makes Killed of it if the task was asked to stop
	case k.result.IsError:
		state, err = background.Failed, errors.New("the server reported a failure; its text is in the file")
	}
	if k.result != nil {
		if problem := os.WriteFile(file, []byte(k.resultText()), 0o600); problem != nil {
			h.Tell("its result could not be written: " + problem.Error())
			state, err = background.Failed, cmpErr(err, problem)
		}
	}
	h.Done(state, nil, err)
}

// resultText returns the result as text. Images are stored apart.
func (k *call) resultText() string {
	var texts []string
	store := storeInTasks(background.Of(k.session))
	for _, p := range k.result.Parts {
		if len(p.Data) == 0 {
			texts = append(texts, p.Text)
			continue
		}
		stored, err := store(context.Background(), p.MIME, strings.NewReader(string(p.Data)))
		if err != nil {
			texts = append(texts, fmt.Sprintf("(%s could not be stored: %v)", p.MIME, err))
			continue
		}
		texts = append(texts, fmt.Sprintf("(%s is in %s)", p.MIME, stored.Path))
	}
	return strings.Join(texts, "\n")
}

// storeInTasks returns a func that keeps bytes beside the output files of tasks.
func storeInTasks(tasks *background.Tasks) func(ctx context.Context, mimeType string, r io.Reader) (pegboard.StoredResult, error) {
	return func(_ context.Context, _ string, r io.Reader) (stored pegboard.StoredResult, err error) {
		path, err := tasks.NewFile("mcp")
		if err != nil {
			return stored, err
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return stored, err
		}
		return pegboard.StoredResult{Ref: path, Path: path, Size: int64(len(data))}, os.WriteFile(path, data, 0o600)
	}
}
