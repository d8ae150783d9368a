// A client of functions, by orval. BASE_URL is the address of the server.
export default {
  api: {
    input: "./openapi.json",
    output: { target: "./generated/orval.ts", client: "fetch", baseUrl: process.env.BASE_URL },
  },
};
