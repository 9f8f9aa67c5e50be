// SPDX-License-Identifier: GPL-2.0
// What a flame graph does in a browser: zoom, search, and tell what is under the mouse.
(function () {
	"use strict";
	const svg = document.querySelector("svg");
	const width = Number(svg.dataset.width), char = Number(svg.dataset.char);
	const part = id => document.getElementById(id);
	const frames = Array.from(document.querySelectorAll("g.f"), g => ({
		g: g,
		rect: g.querySelector("rect"),
		text: g.querySelector("text"),
		about: g.querySelector("title").textContent,
		name: g.querySelector("title").textContent.split("\n")[0],
		at: Number(g.dataset.at),
		value: Number(g.dataset.value),
		depth: Number(g.dataset.depth),
	}));
	const root = frames[0];
	let zoomed = root, pattern = null;

	function place(f, x, w) {
		const room = Math.floor((w - 4) / char);

		f.g.setAttribute("display", w > 0 ? "inline" : "none");
		f.rect.setAttribute("x", x);
		f.rect.setAttribute("width", Math.max(w - 0.3, 0.1));
		f.text.setAttribute("x", x + 3);
		f.text.textContent = room < 3 ? "" : f.name.length <= room ? f.name :
			f.name.slice(0, room - 2) + "..";
	}

	function inside(f, outer) {
		return f.depth >= outer.depth && f.at >= outer.at &&
			f.at + f.value <= outer.at + outer.value;
	}

	function zoom(to) {
		zoomed = to;
		for (const f of frames) {
			const above = f.depth < to.depth && inside(to, f);

			f.g.classList.toggle("above", above);
			if (above)
				place(f, 0, width);
			else if (inside(f, to))
				place(f, (f.at - to.at) / to.value * width,
				      f.value / to.value * width);
			else
				place(f, 0, 0);
		}
		part("reset").setAttribute("display", to === root ? "none" : "inline");
		mark();
	}

	// A frame below one that matches is counted with that one.
	function mark() {
		let sum = 0, end = 0;

		for (const f of frames) {
			const hit = pattern !== null && f !== root && pattern.test(f.name);

			f.g.classList.toggle("hit", hit);
			if (hit && inside(f, zoomed) && f.at >= end) {
				sum += f.value;
				end = f.at + f.value;
			} else if (hit && f.depth < zoomed.depth && inside(zoomed, f)) {
				sum = zoomed.value;
				end = zoomed.at + zoomed.value;
			}
		}
		part("matched").textContent = pattern === null ? "" :
			"matched " + (100 * sum / zoomed.value).toFixed(1) + " %";
		part("search").textContent = pattern === null ? "search" : "clear search";
	}

	function search() {
		const words = pattern === null ?
			prompt("Frames to find (a regular expression):") : "";

		pattern = null;
		if (words) {
			try {
				pattern = new RegExp(words);
			} catch (e) {
				pattern = new RegExp(words.replace(/[^\w\s]/g, "\\$&"));
			}
		}
		mark();
	}

	if (!root)
		return;
	svg.addEventListener("click", e => {
		const g = e.target.closest("g.f");

		if (e.target.id === "search")
			search();
		else if (e.target.id === "reset")
			zoom(root);
		else if (g)
			zoom(frames.find(f => f.g === g));
	});
	svg.addEventListener("mouseover", e => {
		const g = e.target.closest("g.f");
		const f = g && frames.find(f => f.g === g);

		part("details").textContent = f ? f.about.replace(/\n/g, ": ") : "";
	});
	window.addEventListener("keydown", e => {
		if (e.key === "/" || (e.key === "f" && e.ctrlKey)) {
			e.preventDefault();
			if (pattern !== null)
				search();
			search();
		} else if (e.key === "Escape") {
			zoom(root);
		}
	});
	zoom(root);
})();
