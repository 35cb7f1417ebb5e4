"""What an engine does besides dispatching: settings that change, sessions, background hooks, callbacks, listeners."""

from __future__ import annotations

from ._errors import ClosedError, InvalidOptionsError, InvalidSettingsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import builtins
    from collections.abc import Awaitable, Callable, Mapping
    from os import PathLike
    from typing import Any, Literal, TypeVar

    from . import _native
    from ._callbacks import Callbacks
    from ._display import MessageDisplay
    from ._watch import Watcher
    from .types import (
        BackgroundHook,
        Changes,
        Diagnostic,
        Event,
        Goal,
        Grant,
        LateResult,
        Notice,
        Outcome,
        Registered,
        WantedGrant,
    )

    Function = TypeVar("Function", bound=Callable[[dict[str, Any]], object])


class Life:
    """The part of `Engine` that is not about dispatching."""

    __slots__ = ("_callbacks", "_core", "_logged", "_watchers")

    _core: _native.Engine | None
    _callbacks: Callbacks | None
    _watchers: dict[int, Watcher]
    _logged: int | None

    def _engine(self) -> _native.Engine:
        if self._core is None:
            raise ClosedError("this engine was closed; make a new one")
        return self._core

    def _noticed(self, found: list[Diagnostic]) -> None:
        if self._logged is not None and self._logged in self._watchers:
            from ._watch import log

            log(found)

    def diagnostics(self) -> builtins.list[Diagnostic]:
        """What was noticed while the settings were loaded: everything ignored, skipped or not understood."""
        found: builtins.list[Diagnostic] = from_json(self._engine().diagnostics())
        return found

    def lint(self) -> builtins.list[Diagnostic]:
        """What in working settings is probably not meant: warnings with codes that begin with ``lint_``.

        Matchers that match nothing or too much, scripts that are not there, limits in the wrong unit, and the like. Runs
        nothing; reads the scripts that hooks name.
        """
        found: builtins.list[Diagnostic] = from_json(self._engine().lint())
        return found

    # Settings that change.

    def changes(self) -> Changes:
        """Compares the settings files with the hooks that run, and changes nothing: what `reload` would do."""
        found: Changes = from_json(self._engine().changes())
        return found

    def reload(self) -> Changes:
        """Takes the settings over as they are now, in one step, and says what changed. Dispatches under way keep the
        old hooks; what was registered stays.

        Raises:
            IoError, InvalidSettingsError: A file cannot be read or parsed. The old hooks stay, all of them, unless the
                dialect says otherwise (an error in the diagnostics of the answer tells).
        """
        found: Changes = from_json(self._engine().reload())
        self._noticed(found["diagnostics"])
        return found

    def register(self, session_id: str, settings: Mapping[str, Any] | str) -> Registered:
        """Adds hooks at run time, for the events of one session, until `unregister` is called with the `id` of the
        answer.

        Args:
            session_id: The `session_id` of the events.
            settings: An object in the form of the dialect's settings file, or its JSON text. Only its hooks count. Hooks
                of another dialect stand in an entry: ``{"dialect": "claude", "settings": {...}}``; an object is one when
                it has ``settings`` and no ``hooks``.

        Raises:
            InvalidSettingsError: It is no JSON object. A bad hook in it is named in the answer's diagnostics.
            InvalidOptionsError: An entry that is not usable, or with an unknown dialect.
        """
        return self._registered(self._engine().register(session_id, _text(settings, "the settings")))

    def unregister(self, id: str) -> bool:
        """Removes what was registered or opened under this id. Returns whether there was anything. Dispatches under
        way finish with it."""
        removed = self._engine().unregister(id)
        if self._callbacks is not None:
            self._callbacks.remove(id)
        return removed

    def open_scope(
        self,
        owner: Literal["agent", "skill"],
        source: Literal["builtin", "user", "project", "plugin"],
        text: str,
        *,
        name: str | None = None,
        path: str | PathLike[str] | None = None,
        session_id: str | None = None,
        agent_id: str | None = None,
        dialect: str | None = None,
    ) -> Registered:
        """Opens the scope of an agent or a skill that starts: the hooks in its frontmatter run until `close_scope` is
        called with the `id` of the answer. What is held back is named in the answer's diagnostics.

        Args:
            owner: What starts.
            source: Who brought it.
            text: Its whole Markdown file.
            name: Its name, for messages; if not given, that of its frontmatter.
            path: The file, for messages and for the variable that holds a skill's folder.
            session_id: The only session whose events fire its hooks; if not given, every one.
            agent_id: The only agent whose events fire its hooks; if not given, every one.
            dialect: The dialect by which its frontmatter is read; if not given, that of the engine.

        Raises:
            InvalidOptionsError: `owner` or `source` is none of these, or there is no such dialect.
        """
        scope = {"owner": owner, "source": source, "text": text, "dialect": dialect}
        more = {"name": name, "path": path, "session_id": session_id, "agent_id": agent_id}
        return self._registered(self._engine().open_scope(_options({**scope, **more}, "the scope")))

    def close_scope(self, id: str) -> bool:
        """Closes a scope. Returns whether it was open. Dispatches under way finish with it."""
        return self._engine().close_scope(id)

    def wanted_grants(self) -> builtins.list[WantedGrant]:
        """The declarations of hooks that do not run until they are granted."""
        found: builtins.list[WantedGrant] = from_json(self._engine().wanted_grants())
        return found

    def grants(self) -> builtins.list[Grant]:
        """The grants that hold for this workspace, also those of declarations that are gone or were changed since."""
        found: builtins.list[Grant] = from_json(self._engine().grants())
        return found

    def grant(self, digest: str) -> None:
        """Lets the hooks of a declaration run from now on. Kept in the `trust_store` of the options, if there is one;
        ends with any change of the declaration.

        Raises:
            InvalidOptionsError: Nothing waits for this digest.
            IoError: The store cannot be read or written.
        """
        self._engine().grant(digest)

    def revoke(self, digest: str) -> None:
        """Takes a grant back. Raises `IoError` when the store cannot be read or written."""
        self._engine().revoke(digest)

    def end_session(self, session_id: str) -> bool:
        """Forgets what is known of a session: its prevented stops, its hooks that run once. Returns whether there was
        anything. Sessions that are never ended cost bounded memory."""
        return self._engine().end_session(session_id)

    def _registered(self, text: str) -> Registered:
        found: Registered = from_json(text)
        self._noticed(found["diagnostics"])
        return found

    # Goals.

    def set_goal(self, session_id: str, condition: str) -> None:
        """Gives a session a goal: from now on its Stop events ask the `model` whether the condition is met, and the
        agent goes on until it is, or is impossible. Replaces an earlier goal.

        Raises `InvalidOptionsError` when the condition is empty or longer than 4,000 characters.
        """
        self._engine().set_goal(session_id, condition)

    def clear_goal(self, session_id: str) -> bool:
        """Takes a session's goal away. Returns whether it had one."""
        return self._engine().clear_goal(session_id)

    def goal(self, session_id: str) -> Goal | None:
        """A session's goal, also when it is met or impossible. Can be saved, and given to `restore_goal`."""
        found: Goal | None = from_json(self._engine().goal(session_id))
        return found

    def note_goal_usage(self, session_id: str, turns: int, tokens: int) -> bool:
        """Adds turns and tokens that were spent on a session's goal. Returns whether it has one."""
        return self._engine().note_goal_usage(session_id, turns, tokens)

    def restore_goal(self, session_id: str, goal: Goal | Mapping[str, Any]) -> None:
        """Gives a session a goal that `goal` returned. Raises `InvalidOptionsError` when it is none."""
        self._engine().restore_goal(session_id, _options(goal, "the goal"))

    # Texts.

    def render_context(self, outcome: Outcome | Mapping[str, Any] | str) -> str | None:
        """The text for the model: the contexts of an outcome joined, wrapped and cut as the dialect does. `None` when
        there is nothing to hand over. Takes an outcome as `dispatch` returned it."""
        text: str | None = from_json(self._engine().render_context(_text(outcome, "the outcome")))
        return text

    def message_display(self, event: Event | Mapping[str, Any]) -> MessageDisplay:
        """Begins a message of the agent that is shown while it grows, for the hooks of the event MessageDisplay (Qwen
        Code). `event` has the fields that all events have; name and text are filled in.

        Raises:
            InvalidOptionsError: The dialect has no such event.
            InvalidEventError: The event cannot be written as JSON.
        """
        from ._display import MessageDisplay

        return MessageDisplay(self, event)

    # Background hooks.

    def background(self) -> builtins.list[BackgroundHook]:
        """The background hooks that run now."""
        found: builtins.list[BackgroundHook] = from_json(self._engine().background())
        return found

    def cancel_background(self, number: int | None = None) -> int:
        """Ends one background hook (its `number` in `background`), whole process group, or all of them. Returns how
        many it was."""
        return self._engine().cancel_background(number)

    def wait_background(self, timeout: float | None = None) -> bool:
        """Blocks until no background hook runs any more, at most `timeout` seconds. Returns whether that is so. Ctrl-C
        ends the wait, not the hooks."""
        return self._engine().wait_background(timeout)

    async def wait_background_async(self, timeout: float | None = None) -> bool:
        """`wait_background` for asyncio."""
        from ._aside import call

        return await call(self._engine().wait_background, timeout, renew=True)

    def take_late_results(self) -> builtins.list[LateResult]:
        """Takes what background hooks had to say since the last call, where their dialect delivers it. The latest 256
        are kept."""
        found: builtins.list[LateResult] = from_json(self._engine().take_late_results())
        return found

    # Callbacks.

    def register_function(
        self,
        function: Callable[[dict[str, Any]], object | Awaitable[object]],
        event: str,
        *,
        matcher: str | None = None,
        name: str | None = None,
        timeout: float | None = None,
        session_id: str | None = None,
        status_message: str | None = None,
        error_message: str | None = None,
        fail_mode: Literal["open", "closed"] | None = None,
        dialect: str | None = None,
    ) -> str:
        """Makes a function a hook, and returns an id for `unregister`.

        It is called with the event as a dict, and returns `None` (no opinion), or what a command hook would print as
        JSON: a dict, or its text; for Qwen also `True` to go on and `False` to block. Everything else, and every
        exception, is a failure of the hook: status `error` and a diagnostic, never consent. So is an answer that comes
        too late.

        Where it runs: in `Engine.dispatch` on the calling thread, one function after the other; an ``async def`` by a
        loop of its own there. In `Engine.dispatch_async` an ``async def`` is a task of that loop, cancelled when its
        answer is no longer wanted; any other function runs in a daemon thread of its own. A plain function cannot be
        interrupted: in `dispatch` the caller waits until it returns, even when its time is up. It may use the engine.

        Args:
            function: The function, or an ``async def``.
            event: The event's name.
            matcher: What the event must match, as in settings; if not given, everything.
            name: What the hook is called in outcomes; if not given, the function's name.
            timeout: How long its answer is waited for, in seconds; if not given, 5.
            session_id: The only session whose events it gets; if not given, every one.
            status_message: What to show while it runs.
            error_message: What is read when it returns False (Qwen), and before the reason when it fails.
            fail_mode: What its failure means; if not given, what the engine's options say.
            dialect: The dialect whose events and answers it speaks; if not given, the engine's.

        Raises:
            InvalidOptionsError: There is no such event, or the matcher is no pattern.
        """
        from . import _callbacks

        if not callable(function):
            raise TypeError(f"a hook is a function, not {type(function).__name__}")
        _named(event)
        spec = {
            "event": event,
            "matcher": matcher,
            "name": _callbacks.label(function) if name is None else name,
            "timeout_ms": None if timeout is None else max(1, round(timeout * 1000)),
            "session_id": session_id,
            "status_message": status_message,
            "error_message": error_message,
            "fail_mode": fail_mode,
            "dialect": dialect,
        }
        engine, text = self._engine(), _options(spec, "the hook")
        if self._callbacks is None:
            self._callbacks = _callbacks.Callbacks(None, None, None)
        return self._callbacks.add(function, lambda: self._registered(engine.register_function(text))["id"])

    def hook(
        self,
        event: str,
        *,
        matcher: str | None = None,
        name: str | None = None,
        timeout: float | None = None,
        session_id: str | None = None,
        status_message: str | None = None,
        error_message: str | None = None,
        fail_mode: Literal["open", "closed"] | None = None,
        dialect: str | None = None,
    ) -> Callable[[Function], Function]:
        """`register_function` as a decorator, which leaves the function as it is::

        @engine.hook("PreToolUse", matcher="Bash")
        def guard(event):
            if "rm -rf" in event["tool_input"]["command"]:
                return {"decision": "deny", "reason": "too dangerous"}
        """

        _named(event)

        def decorate(function: Function) -> Function:
            self.register_function(
                function,
                event,
                matcher=matcher,
                name=name,
                timeout=timeout,
                session_id=session_id,
                status_message=status_message,
                error_message=error_message,
                fail_mode=fail_mode,
                dialect=dialect,
            )
            return function

        return decorate

    # Listeners.

    def watch(self, listener: Callable[[Notice], object]) -> int:
        """Calls `listener` with a dict for everything that happens in dispatches from now on: hooks that start and end,
        diagnostics (`crosshook.types.Notice`). Returns a number for `unwatch`.

        It is called in a daemon thread of its own, in order, a moment after it happened; it may block and use the
        engine. 10,000 notices wait for a slow one, then some are dropped, and it is told how many. What it raises goes
        to `sys.unraisablehook`. When the interpreter exits, it is given a second for what still waits.
        """
        from ._watch import Watcher

        if not callable(listener):
            raise TypeError(f"a listener is a function, not {type(listener).__name__}")
        engine = self._engine()
        number, notices = engine.watch()
        try:
            self._watchers[number] = Watcher(notices, listener)
        except BaseException:  # no thread could be had
            engine.unwatch(number)
            raise
        return number

    def unwatch(self, number: int) -> bool:
        """Takes a listener away. Returns whether it was there; a call of it under way may still finish."""
        engine = self._engine()
        watcher = self._watchers.pop(number, None)
        if watcher is None:  # also the number of a listener that is not the user's
            return False
        watcher.stop()
        return engine.unwatch(number)

    def _end_life(self, engine: _native.Engine) -> None:
        """The engine is closed: listeners are told what is left, and no more."""
        for number in tuple(self._watchers):
            if self._watchers.pop(number, None) is not None:
                engine.unwatch(number)


def from_json(text: str) -> Any:
    """JSON text of the engine as Python values. The module `json` costs more than all the rest of the package: it is
    loaded with the first engine."""
    from ._json import decode

    return decode(text)


def _named(event: object) -> None:
    """Refuses what is no event's name: above all a function, from a decorator without its parentheses."""
    if not isinstance(event, str):
        raise TypeError(f'a hook names its event: @engine.hook("PreToolUse"); got {type(event).__name__}')


def _text(value: object, what: str) -> str:
    from ._json import encode

    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    return encode(value, InvalidSettingsError, what).decode()


def _options(given: Mapping[str, object], what: str) -> str:
    from ._json import encode

    return encode({key: value for key, value in given.items() if value is not None}, InvalidOptionsError, what).decode()
