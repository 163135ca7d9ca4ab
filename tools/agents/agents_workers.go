package agents

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// maxWorkerTools is how many tools of one server WorkerTools names.
const maxWorkerTools = 20

// WorkerTools returns a text for the prompt of a coordinator: the tools that the agents which s
// starts will have. It assembles a pool as for an agent in the background, or for one that is
// waited for if s can have no other, with the deny rules of s and the servers that are connected
// now. A definition that lists tools leaves its agents fewer. It fails if s is closed.
func (g *Agents) WorkerTools(s *pegboard.Session) (string, error) {
	role := pegboard.RoleAsyncAgent
	if g.noBackground(s) != "" {
		role = pegboard.RoleSubAgent
	}
	worker, err := s.Fork(pegboard.SessionConfig{Role: role, AgentID: idPrefix + "worker"})
	if err != nil {
		return "", fmt.Errorf("the tools of workers: %w", err)
	}
	defer worker.Close(context.Background()) //nolint:errcheck // nothing runs in it
	var own []string
	servers := map[string][]string{}
	for t := range g.options.Registry.AssemblePool(worker, g.options.Pool).All() {
		if info := t.Info(); !info.Origin.External() {
			own = append(own, info.Name)
		} else {
			servers[info.Origin.Source] = append(servers[info.Origin.Source], info.Name)
		}
	}
	return wordWorkers(own, servers), nil
}

// wordWorkers words the tools of workers, in the byte order of their names.
func wordWorkers(own []string, servers map[string][]string) string {
	if len(own)+len(servers) == 0 {
		return "Workers have no tools here."
	}
	var b strings.Builder
	b.WriteString("Workers have these tools, unless the description of their type lists fewer.")
	if len(own) > 0 {
		slices.Sort(own)
		b.WriteString("\n- " + strings.Join(own, ", "))
	}
	for _, server := range slices.Sorted(maps.Keys(servers)) {
		names := servers[server]
		slices.Sort(names)
		fmt.Fprintf(&b, "\n- from the server %s: %s", pegboard.OneLine(server), strings.Join(names[:min(len(names), maxWorkerTools)], ", "))
		if more := len(names) - maxWorkerTools; more > 0 {
			fmt.Fprintf(&b, " and %d more", more)
		}
	}
	return b.String()
}
