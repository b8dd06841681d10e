// Renders a Helm chart as `helm template RELEASE CHART --namespace NAMESPACE -f VALUES` does, with the same libraries:
// text/template and sprig. Debian has them (golang-go, golang-github-masterminds-sprig-dev, golang-github-ghodss-yaml-dev), but
// no Helm. What Helm adds to them and no template here uses (lookup, tpl, hooks, subcharts) is left out.
//
// Usage: go run render.go CHART RELEASE NAMESPACE VALUES.json
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"github.com/ghodss/yaml"
)

func main() {
	if err := render(os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func render(chart, release, namespace, given string) error {
	metadata, err := readYaml(filepath.Join(chart, "Chart.yaml"))
	if err != nil {
		return err
	}
	defaults, err := readYaml(filepath.Join(chart, "values.yaml"))
	if err != nil {
		return err
	}
	values, err := readYaml(given)
	if err != nil {
		return err
	}
	overlay(defaults, values)
	root := template.New("chart").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	delete(functions, "env")
	delete(functions, "expandenv")
	functions["include"] = func(name string, data interface{}) (string, error) {
		var text strings.Builder
		err := root.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	functions["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	functions["required"] = func(message string, value interface{}) (interface{}, error) {
		if text, isText := value.(string); value == nil || isText && text == "" {
			return nil, errors.New(message)
		}
		return value, nil
	}
	root.Funcs(functions)
	files, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	if err != nil {
		return err
	}
	sort.Strings(files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if _, err := root.New(file).Parse(string(text)); err != nil {
			return err
		}
	}
	data := map[string]interface{}{
		"Values":  defaults,
		"Chart":   map[string]interface{}{"Name": metadata["name"], "Version": metadata["version"], "AppVersion": metadata["appVersion"]},
		"Files":   folder(chart),
		"Release": map[string]interface{}{"Name": release, "Namespace": namespace, "Service": "Helm"},
	}
	for _, file := range files {
		var text bytes.Buffer
		if err := root.ExecuteTemplate(&text, file, data); err != nil {
			return err
		}
		if strings.HasSuffix(file, ".yaml") {
			fmt.Printf("---\n# Source: %s\n%s\n", filepath.Base(file), strings.ReplaceAll(text.String(), "<no value>", ""))
		}
	}
	return nil
}

// folder has the files of a chart that are no templates, as Helm's `.Files` does.
type folder string

func (chart folder) Get(name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(string(chart), name))
	return string(text), err
}

func (chart folder) Glob(pattern string) (map[string][]byte, error) {
	found, err := filepath.Glob(filepath.Join(string(chart), pattern))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, path := range found {
		name, err := filepath.Rel(string(chart), path)
		if err != nil {
			return nil, err
		}
		if files[name], err = os.ReadFile(path); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// overlay puts given values in the place of defaults; maps are merged.
func overlay(defaults, given map[string]interface{}) {
	for key, value := range given {
		below, isMap := value.(map[string]interface{})
		above, hasMap := defaults[key].(map[string]interface{})
		if isMap && hasMap {
			overlay(above, below)
		} else {
			defaults[key] = value
		}
	}
}

func readYaml(file string) (map[string]interface{}, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	values := map[string]interface{}{}
	return values, yaml.Unmarshal(text, &values)
}
