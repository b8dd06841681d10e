/**
 * One round of fan-out: followers connect, events are produced at full speed, all followers receive
 * all of them.
 */
export async function deliver(
  contender,
  followers,
  { count, runs = 1, events, batch, mode = contender.mode },
) {
  const paths = await contender.begin(runs);
  await settle(contender, followers, { paths, count, mode });
  const sent = await contender.flood(events, batch);
  const { last } = await followers.call('complete', {
    targets: await contender.targets(mode, events),
  });
  const faults = await followers.call('faults');
  if (faults.length > 0) throw new Error(`wrong bytes: ${faults.slice(0, 3).join('; ')}`);
  await followers.call('close');
  await contender.clean();
  return {
    perSecond: ((sent.events ?? events * runs) * (count / runs)) / ((last - sent.start) / 1_000),
    appendedIn: sent.end - sent.start,
  };
}

/**
 * The same with every frame parsed.
 * @returns a sentence for the report; throws if a frame is lost, duplicated or out of order
 */
export async function verifyDelivery(contender, followers, options) {
  await deliver(contender, followers, { ...options, mode: 'verify' });
  const { count, runs = 1, events } = options;
  const frames = (events + 1) * count;
  return `${frames.toLocaleString('en')} frames of ${runs === 1 ? 'one run' : `${runs} runs`} parsed at ${count} followers: none lost, duplicated or out of order.`;
}

/** Events at a steady rate. @returns the ages of events when they were received, in ms */
export async function age(contender, followers, { count, runs = 1, rate, seconds }) {
  const paths = await contender.begin(runs);
  const mode = 'latency';
  await settle(contender, followers, { paths, count, mode });
  await followers.call('forgetAges');
  await contender.steady(rate, seconds);
  await followers.call('complete', {
    targets: await contender.targets(mode, Math.floor((rate * seconds) / runs)),
  });
  const ages = await followers.call('ages');
  await followers.call('close');
  await contender.clean();
  return ages;
}

/**
 * Connects the followers and waits until each has what is already in the log, so that connecting is
 * not measured.
 */
async function settle(contender, followers, { paths, count, mode }) {
  await followers.call('connect', {
    url: contender.url,
    headers: contender.headers,
    paths: each(paths, count),
    mode,
  });
  await followers.call('complete', { targets: await contender.targets(mode, 0) });
}

/** Distributes the followers evenly over the paths. */
const each = (paths, count) => Array.from({ length: count }, (_, i) => paths[i % paths.length]);
