// How an outcome is compared with what a vector expects:
// objects are subsets; lists have the same length; WHOLE keys are equal; `diagnostics` are contained, [] means none.
import { isDeepStrictEqual } from "node:util";

const WHOLE = new Set(["updated_input", "updated_output", "updated_permissions"]);
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const show = (value) => JSON.stringify(value)?.slice(0, 400) ?? "undefined";

/** A line for each place where `got` does not hold what `want` asks. */
export function differences(want, got, path = "", key = "") {
  if (WHOLE.has(key)) return isDeepStrictEqual(want, got) ? [] : [`${path}: want ${show(want)}, got ${show(got)}`];
  if (key === "diagnostics") return missing(want, got ?? [], path);
  if (Array.isArray(want)) {
    if (!Array.isArray(got) || got.length !== want.length) return [`${path}: want ${show(want)}, got ${show(got)}`];
    return want.flatMap((item, index) => differences(item, got[index], `${path}/${index}`));
  }
  if (isObject(want)) {
    if (!isObject(got)) return [`${path}: want an object, got ${show(got)}`];
    return Object.entries(want).flatMap(([name, value]) =>
      Object.hasOwn(got, name) ? differences(value, got[name], `${path}/${name}`, name) : [`${path}/${name}: missing`],
    );
  }
  return want === got ? [] : [`${path}: want ${show(want)}, got ${show(got)}`];
}

function missing(want, got, path) {
  if (want.length === 0 && got.length > 0) return [`${path}: want none, got ${show(got)}`];
  return want
    .filter((item) => !got.some((diagnostic) => differences(item, diagnostic).length === 0))
    .map((item) => `${path}: nothing like ${show(item)} in ${show(got)}`);
}
