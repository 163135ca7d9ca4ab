package gitrepo

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// Aliases returns the meanings that a subcommand has as an alias when git starts in dir, as
// they stand in the configuration: of the repository, of the user whose home directory is
// home, and of the system. It returns all of them, and not only the one that git would
// choose. The error says why there may be others.
func Aliases(dir, home, name string) (values []string, err error) {
	entries, err := settingsInForce(dir, home)
	if err != nil {
		return nil, err
	}
	var other string // a file that is read, too
	for _, s := range entries {
		switch section, sub, key, three := s.parts(); {
		case section == "alias" && (!three && key == strings.ToLower(name) || three && key == "command" && sub == name):
			values = append(values, s.value)
		case (section == "include" || section == "includeif") && key == "path":
			other = s.file
		}
	}
	if len(values) == 0 && other != "" {
		return nil, fmt.Errorf("%s includes other files, which may define it", other)
	}
	return values, nil
}

// settingsInForce returns the settings that git reads in dir. Files that are not there
// have none.
func settingsInForce(dir, home string) ([]setting, error) {
	entries, err := settingsOf(userFiles(home))
	if err != nil {
		return nil, err
	}
	folders, err := foldersAbove(dir)
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		shared, err := sharedFolder(folder)
		if err != nil {
			return nil, err
		}
		own, err := configuration(shared, folder)
		if err != nil {
			return nil, err
		}
		entries = append(entries, own...)
	}
	return entries, nil
}

// userFiles are the files with the settings of the system and of the user.
func userFiles(home string) []string {
	files := []string{"/etc/gitconfig"}
	if home != "" {
		files = append(files, filepath.Join(home, ".config", "git", "config"), filepath.Join(home, ".gitconfig"))
	}
	return files
}

// foldersAbove returns the folders of the repositories that git may find when it starts in
// dir.
func foldersAbove(dir string) (folders []string, err error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for at := realpath.Resolve(abs); ; at = filepath.Dir(at) {
		folder, err := folderOf(at)
		switch {
		case err != nil:
			return nil, err
		case folder != "":
			folders = append(folders, folder)
		case mayBeRepository(at):
			folder = at
			folders = append(folders, folder)
		}
		if folder != "" && isCertainlyRepository(folder) || filepath.Dir(at) == at {
			return folders, nil
		}
	}
}

// settingsOf returns the settings in some files, without those that do not exist.
func settingsOf(files []string) (all []setting, err error) {
	for _, name := range files {
		text, err := read(name, maxConfig)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		entries, err := parseConfig(text)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be understood: %w", name, err)
		}
		for _, e := range entries {
			all = append(all, setting{entry: e, file: name})
		}
	}
	return all, nil
}
