import worker from "./worker.cjs";

export const { Block, serve } = worker;
