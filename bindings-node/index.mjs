import main from "./main.cjs";

if (main.fault) throw main.fault;

export const { Engine, MessageDisplay, CrosshookError, dialectNames, settingsSchema, version } = main;
