import { beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryConversations } from '../../test/support/memory/memory-conversations.js';
import { OracleHistory } from './oracle-history.js';

let memory: MemoryConversations;
beforeEach(() => void (memory = new MemoryConversations()));

/** A conversation `c` with two exchanges, the second of which continues the first. */
async function twoTurns(): Promise<void> {
  await memory.turn('r1', memory.spec('c', 'c~1', 'What is wrong?'), { says: 'The disk.' });
  await memory.turn('r2', memory.spec('c', 'c~2', 'Since when?', 'c~1'), { says: 'Noon.' });
}

describe('Conversations', () => {
  it('shows the messages of the current path with their answers', async () => {
    await twoTurns();
    const { title, head, messages } = await memory.conversations.show('c', 'me');
    expect([title, head]).toEqual(['What is wrong?', 'c~2']);
    expect(messages.map(({ id, role, content, partial }) => [id, role, content, partial])).toEqual([
      ['c~1.question', 'user', 'What is wrong?', false],
      ['c~1', 'assistant', 'The disk.', false],
      ['c~2.question', 'user', 'Since when?', false],
      ['c~2', 'assistant', 'Noon.', false],
    ]);
  });

  it('shows when a question was asked, and when its answer was there', async () => {
    await memory.turn('r1', memory.spec('c', 'c~1', 'What is wrong?'));
    const ended_at = '2026-01-01T00:00:07.000Z';
    const kept = { content: 'The disk.', status: 'completed' as const, partial: false, ended_at };
    await memory.store.keep({ id: 'c', owner: 'me' }, 'c~1', kept);
    const { messages } = await memory.conversations.show('c', 'me');
    expect(messages.map(({ created_at }) => created_at)).toEqual([
      expect.not.stringMatching(ended_at),
      ended_at,
    ]);
    expect(messages[1]).not.toHaveProperty('ended_at');
  });

  it('shows no empty answer of a turn that has ended, but one of a turn that is running', async () => {
    await memory.turn('r1', memory.spec('c', 'c~1', 'What is wrong?'), { says: '' });
    await memory.turn('r2', memory.spec('c', 'c~2', 'And now?', 'c~1'), { says: '', ends: false });
    const { messages } = await memory.conversations.show('c', 'me');
    expect(messages.map(({ id, partial }) => [id, partial])).toEqual([
      ['c~1.question', false],
      ['c~2.question', false],
      ['c~2', true],
    ]);
    const { messages: panel } = await new OracleHistory(
      memory.store,
      memory.conversations,
      memory.exchanges,
    ).latest('me');
    expect(panel.map(({ role }) => role)).toEqual(['user', 'user', 'assistant']);
  });

  it('shows blanks as no answer, also if an earlier version kept them', async () => {
    await memory.turn('r1', memory.spec('c', 'c~1', 'What is wrong?'), { says: '   \n' });
    await memory.turn('r2', memory.spec('c', 'c~2', 'And now?', 'c~1'));
    const kept = { content: ' \n ', status: 'completed' as const, partial: false };
    await memory.store.keep({ id: 'c', owner: 'me' }, 'c~2', kept);
    const { messages } = await memory.conversations.show('c', 'me');
    expect(messages.map(({ id }) => id)).toEqual(['c~1.question', 'c~2.question']);
    const { nodes } = await memory.conversations.tree('c', 'me');
    expect(nodes.map(({ answer, status }) => [answer, status])).toEqual([
      ['', 'completed'],
      ['', 'completed'],
    ]);
  });

  it('shows in both trees why a turn failed that has no answer', async () => {
    await memory.turn('r1', memory.spec('c', 'c~1', 'What is wrong?'), { fails: 'No credits.' });
    await memory.turn('r2', memory.spec('c', 'c~2', 'And now?', 'c~1'), { says: 'The disk.' });
    const history = new OracleHistory(memory.store, memory.conversations, memory.exchanges);
    for (const { nodes } of [
      await memory.conversations.tree('c', 'me'),
      await history.tree('c', 'me'),
    ]) {
      expect(nodes[0]).toMatchObject({ answer: '', status: 'failed', error: 'No credits.' });
      expect(nodes[1]).toMatchObject({ answer: 'The disk.', status: 'completed' });
      expect(nodes[1]).not.toHaveProperty('error');
    }
  });

  it("hides another caller's conversation", async () => {
    await twoTurns();
    await expect(memory.conversations.show('c', 'you')).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await memory.conversations.running('c', 'you')).toBeUndefined();
    expect((await memory.conversations.list('you', 0, 10)).items).toEqual([]);
  });

  it('continues from an earlier exchange and keeps the other branch', async () => {
    await twoTurns();
    const { messages } = await memory.conversations.fork('c', 'me', 'c~1');
    expect(messages).toHaveLength(2);
    await memory.turn('r3', memory.spec('c', 'c~3', 'Which disk?', 'c~1'), { says: 'The first.' });
    const { heads, nodes } = await memory.conversations.tree('c', 'me');
    expect(heads).toEqual(['c~2', 'c~3']);
    expect(nodes.map(({ id, parentId, answer }) => [id, parentId, answer])).toEqual([
      ['c~1', null, 'The disk.'],
      ['c~2', 'c~1', 'Noon.'],
      ['c~3', 'c~1', 'The first.'],
    ]);
    await expect(memory.conversations.fork('c', 'me', 'c~9')).rejects.toThrow(
      'There is no node "c~9" in this conversation',
    );
  });

  it('renames and deletes a conversation of the caller only', async () => {
    await twoTurns();
    await memory.turn('r3', memory.spec('c', 'c~3', 'And now?', 'c~2'), { ends: false });
    for (const act of [
      () => memory.conversations.rename('c', 'you', 'Mine'),
      () => memory.conversations.remove('c', 'you'),
    ])
      await expect(act()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await memory.conversations.rename('c', 'me', 'The disk')).title).toBe('The disk');
    await memory.conversations.remove('c', 'me');
    expect(memory.cancelled).toEqual(['r3']);
    expect((await memory.conversations.list('me', 0, 10)).items).toEqual([]);
    await expect(memory.conversations.show('c', 'me')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('cancels a turn that is accepted while its conversation is deleted', async () => {
    await memory.turn('r1', memory.spec('c', 'c~1', 'What is wrong?'), { ends: false });
    const late = memory.spec('c', 'c~2', 'And now?', 'c~1');
    const get = memory.store.get.bind(memory.store);
    memory.store.get = async (...name) => {
      const conversation = await get(...name);
      memory.store.get = get;
      await memory.turn('r2', late, { ends: false });
      return conversation;
    };
    expect(await memory.exchanges.remove('c', 'me')).toBe(true);
    expect(memory.cancelled).toEqual(['r1', 'r2']);
    expect((await memory.conversations.list('me', 0, 10)).items).toEqual([]);
  });

  it('lists the newest first, by page', async () => {
    for (const id of ['a', 'b', 'c']) await memory.store.create(id, 'me', id);
    const page = await memory.conversations.list('me', 0, 2);
    expect([page.items.map(({ id }) => id), page.nextCursor]).toEqual([['c', 'b'], '2']);
    const rest = await memory.conversations.list('me', 2, 2);
    expect([rest.items.map(({ id }) => id), rest.nextCursor]).toEqual([['a'], null]);
  });

  it('lists which topology each is about, and the run under way', async () => {
    await twoTurns();
    const about = async () =>
      (await memory.conversations.list('me', 0, 10)).items.map((one) => [
        one.topologyId,
        one.running,
      ]);
    expect(await about()).toEqual([[null, null]]);
    const spec = memory.spec('c', 'c~3', 'And now?', 'c~2');
    const topology = { ...spec.topology, id: 7 };
    await memory.turn('r3', { ...spec, topology }, { ends: false });
    expect(await about()).toEqual([[7, 'r3']]);
    await memory.turn('r4', memory.spec('c', 'c~4', 'Thanks.', 'c~3'), { says: 'Fine.' });
    expect(await about()).toEqual([[7, null]]);
  });

  it('names the turn that is running', async () => {
    await twoTurns();
    expect(await memory.conversations.running('c', 'me')).toBeUndefined();
    await memory.turn('r3', memory.spec('c', 'c~3', 'And now?', 'c~2'), { ends: false });
    expect(await memory.conversations.running('c', 'me')).toBe('r3');
  });
});

describe('Exchanges', () => {
  it('cancels the turn that a newer one replaces', async () => {
    await memory.turn('r1', memory.spec('c', 'c~1', 'Slow?'), { says: 'It ', ends: false });
    await memory.turn('r2', memory.spec('c', 'c~2', 'Fast?'), { says: 'Yes.' });
    expect(memory.cancelled).toEqual(['r1']);
    const { nodes } = await memory.conversations.tree('c', 'me');
    expect(nodes[0]).toMatchObject({ status: 'cancelled', answer: 'It ', partial: true });
  });

  it("cancels a turn of another caller's conversation", async () => {
    await memory.store.create('c', 'you', 'Mine');
    const spec = memory.spec('c', 'c~1', 'Slow?');
    await memory.log.create('r1', spec, []);
    expect(await memory.exchanges.enter('r1', spec)).toBe(false);
    expect(memory.cancelled).toEqual(['r1']);
  });

  it('enters a restarted chat turn, and no diagnosis', async () => {
    const spec = memory.spec('c', 'c~1', 'Slow?');
    await memory.exchanges.beforeRestart('d1', { ...spec, kind: 'diagnosis' });
    expect(await memory.store.get('c', 'me')).toBeUndefined();
    await memory.exchanges.beforeRestart('r1', spec);
    expect((await memory.store.get('c', 'me'))?.head).toBe('c~1');
  });
});

describe('Answers', () => {
  const NAME = { id: 'c', owner: 'me' };

  it('keeps the answer of a turn before its log is dropped', async () => {
    await twoTurns();
    const head = { kind: 'chat', owner: 'me' } as Parameters<typeof memory.answers.beforeTrim>[1];
    await memory.answers.beforeTrim('r2', head);
    expect(await memory.store.answers(NAME, ['c~2'])).toEqual(
      new Map([
        ['c~2', expect.objectContaining({ content: 'Noon.', status: 'completed', partial: false })],
      ]),
    );
  });

  it('is partial and failed if the log is gone', async () => {
    const path = [['c~9', { parent: null, runId: 'gone', question: '?', at: 1 }]] as const;
    expect((await memory.answers.of(NAME, path)).get('c~9')).toEqual({
      content: '',
      status: 'failed',
      partial: true,
    });
  });

  it('does not keep the answer of a running turn', async () => {
    await memory.turn('r1', memory.spec('c', 'c~1', 'Slow?'), { says: 'It ', ends: false });
    const path = [['c~1', { parent: null, runId: 'r1', question: '?', at: 1 }]] as const;
    const answers = await memory.answers.of(NAME, path);
    expect(answers.get('c~1')).toMatchObject({ content: 'It ', status: 'running' });
    expect(await memory.store.answers(NAME, ['c~1'])).toEqual(new Map());
  });
});

describe('OracleHistory', () => {
  const history = () => new OracleHistory(memory.store, memory.conversations, memory.exchanges);

  it('has the messages of the latest conversation', async () => {
    await memory.store.create('old', 'me', 'Old');
    await twoTurns();
    const { messages } = await history().latest('me');
    expect(messages.map(({ role, content, context_id }) => [role, content, context_id])).toEqual([
      ['user', 'What is wrong?', 'c~1'],
      ['assistant', 'The disk.', 'c~1'],
      ['user', 'Since when?', 'c~2'],
      ['assistant', 'Noon.', 'c~2'],
    ]);
    expect(await history().latest('you')).toEqual({ messages: [] });
  });

  it('is a tree for each conversation', async () => {
    await twoTurns();
    expect((await history().trees('me')).trees).toMatchObject([
      { root_id: 'c', title: 'What is wrong?', node_count: 2 },
    ]);
    expect(await history().tree('c', 'me')).toMatchObject({
      root_id: 'c',
      current_id: 'c~2',
      node_count: 2,
      nodes: [
        { id: 'c~1', parent_id: null, run_id: 'r1', answer: 'The disk.' },
        { id: 'c~2', parent_id: 'c~1', run_id: 'r2', answer: 'Noon.' },
      ],
    });
  });

  it('deletes all conversations of a caller and cancels what is running', async () => {
    await memory.turn('r1', memory.spec('c', 'c~1', 'Slow?'), { ends: false });
    await memory.store.create('theirs', 'you', 'Theirs');
    expect(await history().clear('me')).toEqual({ status: 'cleared', deleted: 1 });
    expect(memory.cancelled).toEqual(['r1']);
    expect(await memory.store.get('theirs', 'you')).toBeDefined();
  });
});
