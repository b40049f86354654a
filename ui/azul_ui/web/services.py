"""The resources that all rooms of a server share."""

from dataclasses import dataclass

from azul_ui.web.agent_pool import AgentPool
from azul_ui.web.analysis_queue import AnalysisQueue
from azul_ui.web.catalog import Catalog
from azul_ui.web.thinking import Threads
from azul_ui.web.warm_up import WarmUp


@dataclass(frozen=True)
class Services:
    """The choices, the threads, the agents and the queue of analyses."""

    catalog: Catalog
    threads: Threads
    agents: AgentPool
    analyses: AnalysisQueue
    warm_up: WarmUp

    @classmethod
    def of(cls, catalog: Catalog) -> "Services":
        """Services for a server with these choices."""
        threads, agents = Threads(), AgentPool()
        queue = AnalysisQueue(threads, agents)
        return cls(catalog, threads, agents, queue, WarmUp(threads, agents))

    def close(self) -> None:
        """Stop all thinking, and dismiss the agents."""
        self.analyses.close()
        self.agents.close()
        self.threads.close()
