package agents

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/internal/lock"
	"github.com/seed49eaa51d/pegboard/internal/mailbox"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A Team is a lead and its teammates, see TeamCreate. It is the content of the team's file.
type Team struct {
	Name        string       `json:"team_name"`
	Description string       `json:"description,omitempty"`
	Lead        string       `json:"lead"` // the id of the agent that has made the team, or main
	Members     []TeamMember `json:"members"`
}

// A TeamMember is a teammate that is running.
type TeamMember struct {
	ID   string `json:"agent_id"`
	Name string `json:"name"`
	Type string `json:"agent_type"`
}

// teams are the teams of one conversation.
type teams struct {
	dir   string // of the files; empty without Options.Dir
	lease *lease

	mu   lock.Mutex // held while a file is written
	list []*Team
}

// maxTeamFile is more bytes than a team file has.
const maxTeamFile = 1 << 20

// teamsOf returns the teams of the conversation of s.
func (g *Agents) teamsOf(s *pegboard.Session) *teams {
	l := g.leaseOf(s)
	return g.teams.GetOrInitRoot(s, func() *teams {
		t := &teams{lease: l}
		if g.options.Dir == "" || l.err != nil {
			return t
		}
		t.dir = filepath.Join(g.options.Dir, "teams")
		problems := t.load()
		for _, p := range problems {
			g.options.logger().Error("a team of an earlier run cannot be read", "error", p)
		}
		tellProblems(s, problems)
		return t
	})
}

// load reads the teams of earlier programs. None of their teammates is running, and the main agent
// leads them, as it is the caller of all agents of earlier programs. A file that cannot be read is
// set aside, and is a problem.
func (t *teams) load() (problems []error) {
	files, err := os.ReadDir(t.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return []error{fmt.Errorf("the directory of teams: %w", err)}
	}
	for _, f := range files {
		path := filepath.Join(t.dir, f.Name())
		if strings.HasSuffix(path, temporarySuffix) {
			_ = os.Remove(path) // the program died while it wrote it
			continue
		}
		name, ok := strings.CutSuffix(f.Name(), recordSuffix)
		if !ok {
			continue
		}
		team, err := readTeam(path, name)
		if err != nil {
			problems = append(problems, setAside(path, err))
			continue
		}
		team.Lead, team.Members = MainName, []TeamMember{}
		t.list = append(t.list, team)
	}
	return problems
}

// readTeam reads the file of a team.
func readTeam(path, name string) (*Team, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var team Team
	if err := json.Unmarshal(data, &team); err != nil {
		return nil, err
	}
	if team.Name != name {
		return nil, fmt.Errorf("it is not that of the team %s", name)
	}
	return &team, checkTeamName(name)
}

// checkTeamName returns an error if a team cannot have the name.
func checkTeamName(name string) error {
	if mailbox.CheckName(name) != nil {
		return fmt.Errorf("%.80q is no name for a team; use at most 64 lower-case letters, digits, - and _", name)
	}
	return nil
}

// checkTeam returns why a request cannot start a teammate. Cannot says why the caller has no
// agents in the background.
func (g *Agents) checkTeam(r *Request, cannot string) error {
	features := g.options.Pool.Gates.Features
	switch {
	case !g.options.Teams || features != nil && !slices.Contains(features, pegboard.FeatureTeams):
		return fmt.Errorf("%w: there are no teams here; leave team_name out", ErrInvalidRequest)
	case r.Name == "":
		return fmt.Errorf("%w: a teammate needs a name; give it one, or leave team_name out", ErrInvalidRequest)
	case r.Foreground:
		return fmt.Errorf("%w: a teammate runs in the background; leave run_in_background out, or team_name", ErrInvalidRequest)
	case cannot != "":
		return fmt.Errorf("%w: no teammate can be started: %s", ErrInvalidRequest, cannot)
	}
	return nil
}

// find returns a team. The caller holds the lock.
func (t *teams) find(name string) *Team {
	for _, team := range t.list {
		if team.Name == name {
			return team
		}
	}
	return nil
}

// create makes a team. Each agent leads one team at most.
func (t *teams) create(team Team) error {
	if err := errors.Join(t.lease.err, checkTeamName(team.Name)); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, o := range t.list {
		switch {
		case o.Name == team.Name:
			return fmt.Errorf("there is a team %s; choose another name", o.Name)
		case o.Lead == team.Lead:
			return fmt.Errorf("you lead the team %s; delete it first", o.Name)
		}
	}
	if err := t.save(&team); err != nil {
		return err
	}
	t.list = append(t.list, &team)
	return nil
}

// join adds a teammate. Only the lead starts teammates.
func (t *teams) join(name, lead string, member TeamMember) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	team := t.find(name)
	if team == nil {
		var names []string
		for _, o := range t.list {
			names = append(names, o.Name)
		}
		return fmt.Errorf("%w: there is no team %q; make it with TeamCreate, or leave team_name out (teams: %s)", ErrInvalidRequest, name, cmp.Or(strings.Join(names[:min(len(names), maxListed)], ", "), "none"))
	}
	if team.Lead != lead {
		return fmt.Errorf("%w: %s leads the team %s, and starts its teammates", ErrInvalidRequest, team.Lead, name)
	}
	next := *team
	next.Members = append(slices.Clone(team.Members), member)
	if err := t.save(&next); err != nil {
		return err
	}
	*team = next
	return nil
}

// leave removes a teammate that has ended.
func (t *teams) leave(name, id string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	team := t.find(name)
	if team == nil {
		return nil
	}
	team.Members = slices.DeleteFunc(slices.Clone(team.Members), func(m TeamMember) bool { return m.ID == id })
	return t.save(team)
}

// remove removes the team of a lead. It fails while teammates are running.
func (t *teams) remove(lead string) (Team, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.list, func(o *Team) bool { return o.Lead == lead })
	if i < 0 {
		return Team{}, errors.New("no team was deleted: you lead none")
	}
	team := t.list[i]
	if len(team.Members) > 0 {
		var names []string
		for _, m := range team.Members {
			names = append(names, m.Name+" ("+m.ID+")")
		}
		return Team{}, fmt.Errorf("%w: teammates are running: %s. Use SendMessage to ask each of them to end, with the message {\"type\": \"shutdown_request\"}, and wait until they have ended", ErrTeamBusy, strings.Join(names, ", "))
	}
	if t.dir != "" {
		if err := t.lease.write(func() error { return os.Remove(t.path(team.Name)) }); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Team{}, fmt.Errorf("the team was not deleted: its file: %w", err)
		}
	}
	t.list = slices.Delete(t.list, i, i+1)
	return *team, nil
}

func (t *teams) path(name string) string { return filepath.Join(t.dir, name+".json") }

// save writes the file of a team. The caller holds the lock.
func (t *teams) save(team *Team) error {
	if t.dir == "" {
		return nil
	}
	err := t.lease.write(func() error {
		if err := os.MkdirAll(t.dir, 0o700); err != nil {
			return err
		}
		return writeTeam(t.path(team.Name), team)
	})
	if err != nil && !errors.Is(err, atomicfile.ErrNotSynced) {
		return fmt.Errorf("the file of the team: %w", err)
	}
	return nil
}

// writeTeam replaces the file of a team.
func writeTeam(path string, team *Team) error {
	data, err := json.MarshalIndent(team, "", "  ")
	if err != nil {
		return err
	}
	data = append(data, '\n')
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return err
	}
	path = filepath.Join(dir, filepath.Base(path))
	var store atomicfile.Store
	old, err := store.Load(context.Background(), path, maxTeamFile)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = store.Create(context.Background(), path, data, 0o600)
		return err
	}
	if err != nil {
		return err
	}
	_, err = old.Replace(context.Background(), data)
	return err
}

// teamInput is the input of the TeamCreate tool.
type teamInput struct {
	Name        string `json:"team_name" jsonschema:"minLength=1" jsonschema_description:"The name of the team: lower-case letters, digits, - and _"`
	Description string `json:"description,omitempty" jsonschema_description:"What the team is for"`
	Type        string `json:"agent_type,omitempty"` // it has no effect
}

// TeamResult is the Result.Data of TeamCreate and TeamDelete.
type TeamResult struct {
	Team
	File string `json:"team_file_path,omitempty"` // empty without Options.Dir

	message string
}

// teamTraits are those of the tools for teams.
func teamTraits() pegboard.Traits {
	return pegboard.Traits{Kind: pegboard.KindRun, Concurrency: pegboard.PerTarget, Own: true, Targets: []policy.Target{{Kind: policy.Resource, Value: "teams"}}}
}

// permitTeam allows the tools for teams.
func permitTeam() policy.Decision {
	return policy.Decision{Behavior: policy.Allow, Reason: "a team belongs to the conversation"}
}

// result words the outcome for the model.
func (out TeamResult) result() *pegboard.Result {
	r := pegboard.TextResult(out.message)
	r.Data, r.Line = out, out.message
	return r
}

// teamCreateTool returns the TeamCreate tool.
func (g *Agents) teamCreateTool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[teamInput, TeamResult]{
		Info:       pegboard.Info{Name: "TeamCreate", Title: "Create team", Hint: "agents that stay and wait for messages"},
		Undeclared: []string{"agent_type"},
		Description: "Makes a team, which you lead. Start its teammates with Agent, each with a name and the team_name. " +
			"A teammate that has done its task does not end: it tells you that it is idle, and waits for messages. To end it, send it a shutdown_request with SendMessage. You lead one team at a time.",
		Traits: teamTraits(),
		Summary: func(in teamInput, _ *pegboard.Call) pegboard.Summary {
			return pegboard.Summary{Before: "Make the team " + in.Name, While: "Making the team " + in.Name}
		},
		Permit: func(context.Context, teamInput, *pegboard.Call) policy.Decision { return permitTeam() },
		Call: func(_ context.Context, in teamInput, c *pegboard.Call) (TeamResult, error) {
			s := c.Session()
			if s == nil {
				return TeamResult{}, errors.New("teams are made by calls of an executor only")
			}
			lead, _, _, _ := g.writer(s)
			out := TeamResult{Team: Team{Name: in.Name, Description: in.Description, Lead: lead, Members: []TeamMember{}}}
			t := g.teamsOf(s)
			if err := t.create(out.Team); err != nil {
				return TeamResult{}, fmt.Errorf("%w: %w", ErrTeamNotCreated, err)
			}
			if t.dir != "" {
				out.File = t.path(in.Name)
			}
			out.message = "The team " + in.Name + " is there, and you lead it."
			return out, nil
		},
		Result: TeamResult.result,
	})
}

// teamDeleteTool returns the TeamDelete tool.
func (g *Agents) teamDeleteTool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, TeamResult]{
		Info:        pegboard.Info{Name: "TeamDelete", Title: "Delete team", Hint: "end the team that you lead"},
		Description: "Deletes the team that you lead, when all its teammates have ended.",
		Traits:      teamTraits(),
		Summary: func(struct{}, *pegboard.Call) pegboard.Summary {
			return pegboard.Summary{Before: "Delete the team", While: "Deleting the team"}
		},
		Permit: func(context.Context, struct{}, *pegboard.Call) policy.Decision { return permitTeam() },
		Call: func(_ context.Context, _ struct{}, c *pegboard.Call) (TeamResult, error) {
			s := c.Session()
			if s == nil {
				return TeamResult{}, errors.New("teams are deleted by calls of an executor only")
			}
			lead, _, _, _ := g.writer(s)
			team, err := g.teamsOf(s).remove(lead)
			if err != nil {
				return TeamResult{}, err
			}
			return TeamResult{Team: team, message: "The team " + team.Name + " was deleted."}, nil
		},
		Result: TeamResult.result,
	})
}
