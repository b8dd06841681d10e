import { useQuery } from '@tanstack/react-query';
import { behavioursQuery, rulesQuery, subscribersQuery } from '../../api/queries.js';
import { Disclosure } from '../../ui/disclosure.js';

/** Rules, subscribers and behaviours, to read. */
export function Catalogue() {
  const rules = useQuery(rulesQuery()).data?.items ?? [];
  const subscribers = useQuery(subscribersQuery()).data?.items ?? [];
  const behaviours = useQuery(behavioursQuery()).data?.items ?? [];
  return (
    <div>
      <h2 className="h-small">Rules</h2>
      <div className="panel pad-in toolist">
        {rules.map(({ id, name, trigger, enabled, description, expression }) => (
          <Disclosure key={id} title={<b>{name}</b>} count={`${trigger}${enabled ? '' : ', off'}`}>
            <p>{description}</p>
            <pre tabIndex={0}>{expression}</pre>
          </Disclosure>
        ))}
      </div>
      <h2 className="h-small">Subscribers</h2>
      <div className="panel pad-in toolist">
        {subscribers.map(({ id, name, types, description, template }) => (
          <Disclosure key={id} title={<b>{name}</b>} count={types.join(', ')}>
            <p>{description}</p>
            <pre tabIndex={0}>{template}</pre>
          </Disclosure>
        ))}
      </div>
      <h2 className="h-small">Behaviours</h2>
      <div className="panel pad-in toolist">
        {behaviours.map(({ name, description, source }) => (
          <Disclosure key={name} title={<code>{name}</code>} count={description}>
            <pre tabIndex={0}>{source}</pre>
          </Disclosure>
        ))}
      </div>
    </div>
  );
}
