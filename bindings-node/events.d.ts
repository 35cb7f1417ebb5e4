/**
 * The events a host hands over. Fields are those of the agents' own documentation, in snake_case; ZCode hosts may use
 * camelCase for all of them. The engine hands on what it does not know, so further fields are always welcome.
 */
import type { DialectEvents, EventBase, EventFields, EventName } from "./generated/events.js";

/** The event called `Name`. */
export type HookEvent<Name extends string = string> = EventBase & {
  /** The event's name. */
  hook_event_name: Name;
} & (Name extends EventName ? EventFields[Name] : unknown);

/** The same as ZCode writes it: with `hookEventName`, and all other fields in camelCase. */
export interface CamelCaseEvent<Name extends string = string> {
  /** The event's name. */
  hookEventName: Name;
}

/** Any event that {@link EventFields} describes, told apart by `hook_event_name`. */
export type KnownEvent = { [Name in EventName]: HookEvent<Name> }[EventName];

/** Any event of the dialect `Name`, told apart by `hook_event_name`. */
export type EventOf<Name extends keyof DialectEvents> = {
  [Event in DialectEvents[Name] & EventName]: HookEvent<Event>;
}[DialectEvents[Name] & EventName];
