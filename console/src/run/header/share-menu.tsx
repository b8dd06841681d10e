import * as Menu from '@radix-ui/react-dropdown-menu';
import { reportFileName } from '../export/file-name.js';
import { reportAsHtml } from '../export/report-html.js';
import { reportAsMarkdown } from '../export/report-markdown.js';
import { Icon } from '../../ui/icon.js';
import { useRunView } from '../run-context.js';

/**
 * Ways to hand a run on: its link, and its report as a file. Opens at once: it is loaded if it is
 * asked for.
 */
export function ShareMenu() {
  const { store, model, actions } = useRunView();
  const copy = (text: string, what: string): void => {
    void navigator.clipboard?.writeText(text);
    actions.toast(`${what} copied`);
  };
  const name = reportFileName(model.started?.topology_name ?? null, store.runId);
  return (
    <Menu.Root modal={false} defaultOpen>
      <Menu.Trigger className="btn">
        <Icon name="link" size={14} />
        Share
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Content className="menu" align="end" sideOffset={4}>
          <Menu.Item onSelect={() => copy(location.href, 'Link')}>
            <Icon name="copy" size={14} /> Copy the link <kbd>.</kbd>
          </Menu.Item>
          <Menu.Item onSelect={() => copy(reportAsMarkdown(model, location.href), 'Report')}>
            <Icon name="copy" size={14} /> Copy the report as Markdown
          </Menu.Item>
          <Menu.Item
            onSelect={() =>
              save(`${name}.md`, 'text/markdown', reportAsMarkdown(model, location.href))
            }
          >
            <Icon name="download" size={14} /> Save the report as Markdown
          </Menu.Item>
          <Menu.Item
            onSelect={() => save(`${name}.html`, 'text/html', reportAsHtml(model, location.href))}
          >
            <Icon name="download" size={14} /> Save the report as HTML
          </Menu.Item>
        </Menu.Content>
      </Menu.Portal>
    </Menu.Root>
  );
}

function save(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
