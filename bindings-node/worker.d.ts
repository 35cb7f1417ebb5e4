/** What a hook answers: an object (the JSON answer), a string (plain text), or nothing. */
export type HookAnswer = object | string | null | undefined | void;

/** A hook as a function of its event. */
export type HookFunction = (event: Record<string, any>) => HookAnswer | Promise<HookAnswer>;

/** Thrown by a hook to say no; the same as exit code 2 with the reason on standard error. */
export class Block extends Error {
  constructor(reason: string);
}

/**
 * Turns a function into a hook: as a worker (`"worker": true` in the settings) the program is started once and answers every
 * event; without that, and in agents that know no workers, it answers one event and ends.
 *
 * An error of another kind than {@link Block} is printed and means that the hook has failed; a worker lives on. What the hook
 * prints goes to standard error. The program ends when there are no more events.
 */
export function serve(hook: HookFunction): void;
