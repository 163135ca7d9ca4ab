package languageserver

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/creachadair/jrpc2"
)

// receive deals with the notifications of the server, in their order, which jrpc2 does not
// keep. It reports false for other messages.
func (n *connection) receive(message []byte) bool {
	if !bytes.Contains(message, []byte(`"method"`)) {
		return false
	}
	var note struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if json.Unmarshal(message, &note) != nil || note.Method == "" || note.ID != nil {
		return false
	}
	switch note.Method {
	case "textDocument/publishDiagnostics":
		n.published.receive(n, note.Params)
	case "$/progress":
		n.progress.receive(note.Params)
	}
	return true
}

// answer answers a request of the server. What would write is refused.
func (n *connection) answer(_ context.Context, request *jrpc2.Request) (any, error) {
	n.mu.Lock()
	n.asked++
	endless := n.asked > maxAsked
	n.mu.Unlock()
	if endless {
		n.stop(errAsking)
		return nil, jrpc2.Errorf(jrpc2.InvalidRequest, "%v", errAsking)
	}
	switch request.Method() {
	case "workspace/configuration":
		return n.settings(request)
	case "workspace/workspaceFolders":
		return []workspaceFolder{n.folder()}, nil
	case "client/registerCapability":
		var params json.RawMessage
		if err := request.UnmarshalParams(&params); err != nil {
			return nil, err
		}
		n.workspace.register(params)
		return nil, nil
	case "client/unregisterCapability", "window/workDoneProgress/create",
		"window/showMessageRequest",
		"workspace/codeLens/refresh", "workspace/diagnostic/refresh", "workspace/foldingRange/refresh",
		"workspace/inlayHint/refresh", "workspace/inlineValue/refresh", "workspace/semanticTokens/refresh":
		return nil, nil
	case "window/showDocument":
		return map[string]bool{"success": false}, nil
	case "workspace/applyEdit":
		return map[string]any{"applied": false, "failureReason": "this client only reads"}, nil
	}
	return nil, jrpc2.Errorf(jrpc2.MethodNotFound, "this client does not know %s", shorten(request.Method(), 200))
}

// settings returns the sections of Config.Settings that the server asks for.
func (n *connection) settings(request *jrpc2.Request) (any, error) {
	var params struct {
		Items []struct {
			Section string `json:"section"`
		} `json:"items"`
	}
	if err := request.UnmarshalParams(&params); err != nil {
		return nil, err
	}
	found := make([]json.RawMessage, len(params.Items))
	for i, item := range params.Items {
		found[i] = section(n.config.Settings, item.Section)
	}
	return found, nil
}

// section returns the part of settings that a dotted name leads to, or null. The empty name
// is that of the whole.
func section(settings json.RawMessage, name string) json.RawMessage {
	if name == "" && settings != nil {
		return settings
	}
	for name != "" && settings != nil {
		first, rest, _ := strings.Cut(name, ".")
		var members map[string]json.RawMessage
		if json.Unmarshal(settings, &members) != nil {
			return nil
		}
		if whole, ok := members[name]; ok {
			return whole
		}
		settings, name = members[first], rest
	}
	return settings
}

func (n *connection) folder() workspaceFolder {
	return workspaceFolder{URI: fileURI(n.root), Name: filepath.Base(n.root)}
}
